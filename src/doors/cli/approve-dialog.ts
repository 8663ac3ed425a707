import { createInterface } from 'node:readline'
import type { Requests, Reviewer } from '../../approval/approval.ts'
import { type Clock, systemClock } from '../../clock.ts'
import { type ApprovalRequest, isOpen, type VerdictInput } from '../../contract/approval.ts'
import { type Problem, problem } from '../../contract/problem.ts'
import { describeRequest, describeWhole } from './approve-view.ts'
import type { Io } from './command.ts'
import { editInEditor } from './editor.ts'

export interface Dialog {
  readonly request: ApprovalRequest
  readonly requests: Pick<Requests, 'get' | 'decide' | 'cancel' | 'settled' | 'lastApproved'>
  readonly reviewer: Reviewer
  readonly io: Io
  readonly clock?: Clock
  /** Runs of this file have a conversation of their own, each on another path. */
  readonly ofFile?: boolean
  /** Lets a person change the code; null when they left it as it was. */
  readonly edit?: (code: string, language: ApprovalRequest['language'], io: Io) => Promise<string | null>
}

/** An answer typed sooner after the question than this was meant for something else. */
const soonestMs = 500

/**
 * Asks in the terminal: y approve, n deny, v view, e edit, s save for later. Enter alone, the end of input and the
 * time-out never approve. Returns null once the engine has confirmed an approval, else why nothing will run.
 */
export async function askInTerminal(dialog: Dialog): Promise<Problem | null> {
  const { requests, reviewer, io, edit = editInEditor } = dialog
  let { request } = dialog
  const say = (text: string) => void io.stderr.write(`${text}\n`)
  const last = await requests.lastApproved({ ...request, anyPath: dialog.ofFile ?? false })
  let seenAll = false
  const show = () => {
    const shown = describeRequest(request, last)
    say(`\n${shown}\n`)
    seenAll = shown === describeWhole(request, last)
  }

  /** Puts the answer to the engine; only what comes back counts. */
  const put = async (verdict: VerdictInput): Promise<Problem | null> => {
    const outcome = await requests.decide(request.id, reviewer, verdict)
    if (!outcome.ok) say(`${outcome.problem.message} ${outcome.problem.hint}`)
    const now = outcome.ok ? outcome : await requests.get(request.tenant, request.id)
    if (!now.ok) return now.problem
    const changed = now.value.subject !== request.subject
    request = now.value
    // Someone else edited it, or the policy changed: what is asked now is something else.
    if (changed && isOpen(request.state)) show()
    return outcome.ok ? null : outcome.problem
  }

  /** Answers; where the policy wants to know why, asks once for that, and answers with it. */
  const decide = async (verdict: Extract<VerdictInput, { kind: 'approve' | 'deny' }>): Promise<void> => {
    const { subject } = request
    const refused = await put(verdict)
    // What changed meanwhile has to be looked at again before anything is said about it.
    if (refused?.code !== 'approval.unsaid' || request.subject !== subject) return
    const heard = await ask(dialog, request, 'Why: ')
    if (heard.kind === 'answer' && heard.text.trim() !== '') await put({ ...verdict, comment: heard.text.trim() })
  }

  show()
  for (;;) {
    const heard = await ask(dialog, request, question)
    if (heard.kind === 'settled') return heard.request ? resultOf(heard.request) : stopped
    if (heard.kind === 'stopped') {
      await requests.cancel(request.tenant, request.id, request.requester.id, 'Stopped in the terminal.')
      return stopped
    }
    switch (heard.kind === 'end' ? 's' : heard.text.trim().toLowerCase()) {
      case 'y':
      case 'yes':
        if (!(await confirmed(dialog, request, seenAll))) say('Not approved.')
        else await decide({ kind: 'approve', seen: request.subject })
        break
      case '':
      case 'n':
      case 'no':
        await decide({ kind: 'deny' })
        break
      case 's':
        await put({ kind: 'later' })
        return resultOf(request)
      case 'v':
        seenAll = (await pageThrough(dialog, request, describeWhole(request, last))) || seenAll
        break
      case 'e': {
        const code = await edit(request.code, request.language, io)
        if (code === null || code === request.code) say('Nothing was changed.')
        else await put({ kind: 'edit', seen: request.subject, code })
        break
      }
      default:
        say('Answer y, n, v, e or s.')
    }
    if (!isOpen(request.state)) return resultOf(request)
  }
}

const question = 'Approve?  y approve · n deny (default) · v view all · e edit · s save for later: '

/** What is critical, or was not seen whole, is approved by a typed word and not by a key. */
async function confirmed(dialog: Dialog, request: ApprovalRequest, seenAll: boolean): Promise<boolean> {
  if (request.risk !== 'critical' && seenAll) return true
  const why = seenAll ? 'This is of critical risk.' : 'You have not seen all of it (v shows it).'
  const heard = await ask(dialog, request, `${why} Type approve to approve it: `)
  return heard.kind === 'answer' && heard.text.trim().toLowerCase() === 'approve'
}

/** Shows a long text a screen at a time, since what scrolled by was not seen; false when it was left before its end. */
async function pageThrough(dialog: Dialog, request: ApprovalRequest, text: string): Promise<boolean> {
  const lines = `\n${text}\n`.split('\n')
  const page = Math.max(10, (dialog.io.stderr.rows ?? Number.POSITIVE_INFINITY) - 2)
  for (let from = 0; from < lines.length; from += page) {
    dialog.io.stderr.write(`${lines.slice(from, from + page).join('\n')}\n`)
    const left = lines.length - from - page
    if (left <= 0) break
    const heard = await ask(dialog, request, `${left} more lines. Enter goes on, anything else ends it: `)
    if (heard.kind !== 'answer' || heard.text.trim() !== '') return false
  }
  return true
}

type Heard =
  | { kind: 'answer'; text: string }
  | { kind: 'end' }
  | { kind: 'stopped' }
  | { kind: 'settled'; request: ApprovalRequest | null }

/** The next line that is meant for this question, or what ended the waiting for it. */
function ask({ io, requests, clock = systemClock }: Dialog, request: ApprovalRequest, text: string): Promise<Heard> {
  return new Promise(resolve => {
    const over = new AbortController()
    const lines = createInterface({ input: io.stdin, terminal: false })
    const askedAt = clock.now()
    const finish = (heard: Heard) => {
      if (over.signal.aborted) return
      over.abort()
      io.signal.removeEventListener('abort', stop)
      lines.close()
      resolve(heard)
    }
    const stop = () => finish({ kind: 'stopped' })
    lines.on('line', line => {
      if (clock.now() - askedAt >= soonestMs) return finish({ kind: 'answer', text: line })
      io.stderr.write(`That came too soon to be an answer.\n${text}`)
    })
    lines.on('close', () => finish({ kind: 'end' }))
    io.signal.addEventListener('abort', stop)
    io.stderr.write(text)
    if (io.signal.aborted) return stop()
    // A request that is saved already has no time-out that could close the dialog.
    if (request.state !== 'waiting') return
    requests.settled(request.tenant, request.id, over.signal).then(
      outcome => finish({ kind: 'settled', request: outcome.ok ? outcome.value : null }),
      () => finish({ kind: 'settled', request: null }),
    )
  })
}

const stopped = problem('request.cancelled', 'The program was not approved.', 'Nothing was run.')

/** Why nothing will run, or null when it will. */
function resultOf({ state, expiresAt, note }: ApprovalRequest): Problem | null {
  if (state === 'approved' || state === 'used') return null
  if (state === 'denied') return problem('approval.denied', 'The program was denied.', 'Nothing was run.')
  if (!isOpen(state)) return problem('approval.cancelled', note || 'The request was withdrawn.', 'Nothing was run.')
  const until = new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')
  return problem(
    'approval.undecided',
    'Saved for later: nothing was run.',
    `It waits in the review queue until ${until} UTC.`,
  )
}
