import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { systemClock } from '../../../clock.ts'
import { ConversationId, PathId } from '../../../contract/ids.ts'
import type { Problem } from '../../../contract/problem.ts'
import { whyAsked } from '../../../contract/reasons.ts'
import { Language, languages, SandboxKind } from '../../../contract/run.ts'
import { CodeRun, isOver, type RunView } from '../../../contract/runs.ts'
import type { Shown } from '../../../contract/shown.ts'
import type { Engine } from '../../../engine/engine.ts'
import { uuidV7 } from '../../../ids.ts'
import { canonicalGrants } from '../../../network/network.ts'
import { askInTerminal } from '../approve-dialog.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'

export const command: Command = {
  help: `
Usage: countersign run FILE|NOTEBOOK.ipynb|- [options]

  --language L    ${languages.join(', ')}, sh (default: by the file's name)
  --sandbox KIND  where to run it: auto, local (default: as set)
  --env NAME      the Python environment to run it in (see countersign environments list)
  --timeout S     longest run in seconds, 1 to 600 (default: as set)
  --allow HOST    let it reach this host: api.example.org, api.example.org:8443, http://…, tcp://…:5432;
                  may be given more than once, and needs an approval like any grant
  --approve       approve it yourself if it needs approval: signed and recorded like any decision,
                  and refused where the policy wants another reviewer
  --reason TEXT   why you approve it, where the policy wants to know
  --json          one JSON document with the whole result, instead of the output as it comes;
                  of a notebook: success, error and outputs of each cell
  --with FILE     give a notebook this file, under its own name; may be given more than once
  --out FILE      write the notebook with its outputs there; it passes the egress guard like any export
  --keep-going    run all cells of a notebook, also after one that did not succeed

A notebook becomes a conversation. Its cells run in order in one sandbox, up to the first that does not succeed.

Without a terminal, a run that needs approval is refused unless --approve is given.
Exit: 0 success, 1 the program failed, 2 wrong use, 3 refused, 4 no sandbox available.
`,
  options: {
    language: { type: 'string', short: 'l' },
    sandbox: { type: 'string' },
    env: { type: 'string' },
    timeout: { type: 'string' },
    allow: { type: 'string', multiple: true },
    approve: { type: 'boolean' },
    reason: { type: 'string' },
    json: { type: 'boolean' },
    'keep-going': { type: 'boolean' },
    with: { type: 'string', multiple: true },
    out: { type: 'string' },
  },
  async run({ values, positionals }, io) {
    const [file, ...more] = positionals
    if (!file || more.length > 0) throw new UsageError('name one file, or - for standard input')
    const sandbox = sandboxOf(values.sandbox as string | undefined)
    const timeoutMs = timeoutOf(values.timeout as string | undefined)
    const network = grantsOf(values.allow as string[] | undefined)
    const env = {
      ...io.env,
      ...(sandbox === 'auto' ? {} : { COUNTERSIGN_SANDBOX_TYPE: sandbox }),
      ...(values.env === undefined ? {} : { COUNTERSIGN_SANDBOX_ENVIRONMENT: values.env as string }),
    }
    if (extname(file) === '.ipynb') {
      const { runNotebook } = await import('./run-notebook.ts')
      const given = { timeoutMs, network, print: (shown: Shown) => print(io, shown) }
      return runNotebook(resolve(io.cwd, file), given, values, { ...io, env })
    }
    if (values.out !== undefined) throw new UsageError('--out is for notebooks (.ipynb)')
    if (values.with !== undefined) throw new UsageError('--with is for notebooks (.ipynb)')
    const language = languageOf(values.language as string | undefined, file)
    const code = file === '-' ? await text(io.stdin) : await readProgram(resolve(io.cwd, file))
    const ids = uuidV7(systemClock)
    const path = ids.make(PathId)
    const request = CodeRun.safeParse({ path, cell: null, language, code, timeoutMs, network })
    if (!request.success)
      return report(io, Boolean(values.json), { problem: invalid(request.error.issues[0]?.message ?? '') })

    return withEngine({ ...io, env }, async engine => {
      const { problem: broken } = await engine.approval.policy.current()
      const warnings = broken ? [`${broken.message} ${broken.hint}`] : []
      // A program from the terminal belongs to no conversation of the tree: its sandbox is its own and ends with it.
      const conversation = file === '-' ? ids.make(ConversationId) : conversationOf(engine, resolve(io.cwd, file))
      const aside = { conversation, path }
      const run = follow(engine, path, values.json ? () => undefined : output => print(io, output))
      const started = await engine.runs.start(engine.caller, request.data, { aside, signal: io.signal })
      if (!started.ok) return report(io, Boolean(values.json), { problem: started.problem, warnings })
      const waits = await started.value.rest
      const refusal = waits.state === 'waiting' ? await settle(engine, waits, io, values) : null
      const view = refusal ? turnedAway(waits, refusal) : await run.over
      run.stop()
      await engine.contexts.end({ tenant: engine.caller.tenant, ...aside }, 'manual', engine.caller.user)
      return report(io, Boolean(values.json), { view, problem: view.problem, warnings })
    })
  },
}

/**
 * The same for every run of one file by one person, so that the next approval of it can show what changed since the
 * last; each run has a path, and with that a sandbox, of its own.
 */
function conversationOf({ caller: { tenant, user } }: Engine, file: string): ConversationId {
  const hash = createHash('sha256')
    .update(JSON.stringify([tenant, user, file]))
    .digest('hex')
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ]
  return ConversationId.parse(parts.join('-'))
}

/** What a path's run shows, and how it ends, also when it first waits for a reviewer and goes on later. */
export function follow(engine: Engine, path: PathId, show: (shown: Shown) => void) {
  let stop = () => {}
  const over = new Promise<RunView>(resolve => {
    let id: string | null = null
    stop = engine.events.listen(event => {
      if (event.type === 'run' && event.run.path === path) {
        id = event.run.run
        if (isOver(event.run.state)) resolve(event.run)
      }
      if (event.type === 'run.output' && event.run === id) event.outputs.forEach(show)
    })
  })
  return { over, stop: () => stop() }
}

/** A run that waited and will not go on. */
export function turnedAway(view: RunView, why: Problem): RunView {
  const over = { held: null, outcome: null, startedAt: null, finishedAt: systemClock.now() }
  return { ...view, ...over, state: 'refused', problem: why }
}

/** A run that waits: approved by `--approve` or in the terminal, else refused. Null when it goes on. */
export async function settle(
  engine: Engine,
  view: RunView,
  io: Io,
  values: Arguments['values'],
): Promise<Problem | null> {
  const { tenant, user } = engine.caller
  if (!view.request) return null
  const found = await engine.approval.requests.get(tenant, view.request)
  if (!found.ok) return found.problem
  const request = found.value
  const refuse = async (problem: Problem): Promise<Problem> => {
    await engine.approval.requests.cancel(tenant, request.id, user, problem.message)
    return problem
  }
  const login = await engine.approval.identities.logIn(user)
  if (!login.ok) return refuse(login.problem)
  if (values.approve) {
    const verdict = { kind: 'approve', seen: request.subject, comment: String(values.reason ?? '') } as const
    const decided = await engine.approval.requests.decide(request.id, login.value, verdict)
    return decided.ok ? null : refuse(decided.problem)
  }
  if (values.json || !io.stdin.isTTY || !io.stderr.isTTY) {
    return refuse({
      code: 'approval.undecided',
      message: `This program is of ${request.risk} risk and needs approval: ${whyAsked(request.reasons)
        .map(each => each.text)
        .join(' ')}`,
      hint: 'Run it in a terminal to be asked, or give --approve to approve it yourself.',
    })
  }
  return askInTerminal({ request, requests: engine.approval.requests, reviewer: login.value, io, ofFile: true })
}

function print(io: Io, output: Shown): void {
  switch (output.type) {
    case 'stream':
      ;(output.name === 'stdout' ? io.stdout : io.stderr).write(output.text)
      break
    case 'display':
    case 'update':
    case 'result': {
      if (Object.keys(output.data).length === 0) break
      const plain = output.data['text/plain']
      io.stdout.write(`${typeof plain === 'string' ? plain : `[${Object.keys(output.data).join(', ')}]`}\n`)
      break
    }
    case 'error':
      io.stderr.write(`${output.error.traceback.join('\n') || `${output.error.name}: ${output.error.message}`}\n`)
      break
    case 'notice':
      // All of it has just gone by here.
      if (output.cut) break
      io.stderr.write(`countersign: ${output.text}\n`)
      break
    case 'clear':
      // What has been printed stays in a terminal.
      break
  }
}

interface Result {
  readonly view?: RunView
  readonly problem: Problem | null
  /** What is wrong with the installation and did not stop the run. */
  readonly warnings?: readonly string[]
}

/** The result for people or programs, and the exit code that goes with it. */
function report(io: Io, json: boolean, { view, problem, warnings = [] }: Result): number {
  const outcome = view?.outcome
  if (json) {
    const basis = outcome ?? {
      success: false,
      stdout: '',
      stderr: '',
      exitCode: null,
      outputs: [],
      executionTimeMs: 0,
      sandbox: null,
      isolation: null,
      error: problem ? { kind: 'refused', name: problem.code, message: problem.message, hint: problem.hint } : null,
    }
    const findings = view?.inspection ? { violations: view.inspection.violations, impact: view.inspection.impact } : {}
    io.stdout.write(
      `${JSON.stringify({
        ...basis,
        risk: view?.risk ?? null,
        state: view?.state ?? 'refused',
        ...findings,
        warnings: [...warnings, ...(outcome?.warnings ?? [])],
      })}\n`,
    )
  } else if (problem) {
    io.stderr.write(`countersign run: ${problem.message}\n${problem.hint}\n`)
  }
  if (outcome) return outcome.success ? exit.success : exit.failed
  if (
    problem?.code === 'context.unavailable' ||
    problem?.code.startsWith('sandbox.') ||
    problem?.code.startsWith('environment.')
  )
    return exit.unavailable
  return problem?.code === 'request.invalid' ? exit.usage : exit.refused
}

async function readProgram(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : error}`)
  }
}

const byExtension: Record<string, Language> = {
  '.py': 'python',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.ts': 'typescript',
  '.sh': 'bash',
  '.bash': 'bash',
}

function languageOf(given: string | undefined, file: string): Language {
  const language = Language.safeParse(given === 'sh' ? 'bash' : (given ?? byExtension[extname(file)]))
  if (language.success) return language.data
  throw new UsageError(`say the language with --language: ${languages.join(', ')} or sh`)
}

function sandboxOf(given = 'auto'): string {
  if (given === 'auto' || SandboxKind.safeParse(given).success) return given
  throw new UsageError(`--sandbox must be auto or one of ${SandboxKind.options.join(', ')}`)
}

function grantsOf(given: readonly string[] = []): string[] {
  const grants = canonicalGrants(given)
  if (!grants.ok) throw new UsageError(`--allow: ${grants.problem.message}`)
  return grants.value
}

function timeoutOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const seconds = Number(given)
  if (seconds >= 1 && seconds <= 600) return Math.round(seconds * 1000)
  throw new UsageError(`--timeout must be 1 to 600 seconds, not '${given}'`)
}

const invalid = (message: string): Problem => ({
  code: 'request.invalid',
  message,
  hint: 'Shorten or correct the program; nothing was run.',
})
