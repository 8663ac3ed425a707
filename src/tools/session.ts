import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Facts } from '../contract/facts.ts'
import type { RunId, TenantId } from '../contract/ids.ts'
import type { CallTool } from '../contract/mcp-servers.ts'
import { type ToolCall, type ToolGrant, toolLimits } from '../contract/tools.ts'
import type { McpServers } from '../mcp/mcp.ts'
import type { ClearedRun } from '../runs/run.ts'
import type { ToolCallRequest, ToolCalls, ToolReply } from '../sandbox/sandbox.ts'
import { complaintOf, resultOf } from './answers.ts'
import { type CallKey, hashText, type KeptResult, type Results } from './store.ts'

/** Answers the calls of one run, and knows afterwards which there were. */
export interface ToolSession extends ToolCalls {
  /** When the run is over: all calls, once what is to be kept of them is kept. */
  taken(): Promise<ToolCall[]>
}

export interface SessionParts {
  readonly servers: Pick<McpServers, 'callsOf'>
  readonly results: Results
  readonly audit: Pick<Audit, 'query'>
  readonly clock: Clock
}

type Answered = { readonly reply: ToolReply; readonly end: ToolCall['end']; readonly result?: KeptResult }

/** With `replayOf`, answers come from what that run was answered, and nobody is called. */
export function openSession(parts: SessionParts, run: ClearedRun, replayOf: RunId | null | undefined): ToolSession {
  const { clock, results } = parts
  const grants = new Map((run.placement.tools ?? []).map(grant => [nameOf(grant), grant]))
  const { id, tenant, conversation, path, cell } = run
  const calls = parts.servers.callsOf({ tenant, user: run.requester }, { run: id, conversation, path, cell })
  const made: ToolCall[] = []
  const times = new Map<string, number>()
  const recorded = replayOf ? recordedCalls(parts.audit, tenant, replayOf) : null
  recorded?.catch(() => undefined)

  /** The nth call of this tool with these arguments. */
  function keyOf({ server, tool }: ToolGrant, argumentsHash: string): CallKey {
    const same = `${server}.${tool} ${argumentsHash}`
    const ordinal = (times.get(same) ?? 0) + 1
    times.set(same, ordinal)
    return { server, tool, argumentsHash, ordinal }
  }

  async function carryOut(grant: ToolGrant, key: CallKey, text: string, request: ToolCallRequest): Promise<Answered> {
    if (replayOf !== undefined) return fromRecord(grant, key, request)
    const { server, tool, hash } = grant
    const asked: CallTool = { server, tool, hash, arguments: JSON.parse(text) }
    const answer = await calls.call(asked, key.ordinal, request.signal)
    if (!answer.ok) return { reply: refusal(answer.problem.code, answer.problem.message), end: 'refused' }
    if (answer.value.isError) return { reply: refusal('tool.failed', complaintOf(answer.value)), end: 'failed' }
    const result = kept(JSON.stringify(resultOf(answer.value)))
    const keeping = results.keep(calls.write, run, key, hash, result, clock.now())
    const [reply] = await Promise.all([sent(result, grant, request), keeping])
    return { reply, end: 'answered', result }
  }

  async function fromRecord(grant: ToolGrant, key: CallKey, request: ToolCallRequest): Promise<Answered> {
    const name = `tools.${nameOf(grant)}`
    if (grant.effect !== 'reads')
      return {
        reply: refusal('tool.has-effects', `${name} may change something, so a replay does not go past it.`),
        end: 'refused',
      }
    const result = replayOf ? await results.find(replayOf, key) : null
    // The row is a claim, its own hash too: what counts is the hash that the record was told when the run ended.
    if (!result || result.resultHash !== (await recorded)?.hashOf(key))
      return {
        reply: refusal('tool.not-recorded', `This call of ${name} was never recorded, and a replay calls nobody.`),
        end: 'refused',
      }
    return { reply: await sent(result, grant, request), end: 'replayed', result }
  }

  /**
   * In the frame, or as a file where it is too long for one. Its name says what is in it: code reads it later, when another
   * call or another run may have been answered with a file too.
   */
  async function sent(result: KeptResult, grant: ToolGrant, { files }: ToolCallRequest): Promise<ToolReply> {
    const bytes = Buffer.from(result.text)
    if (bytes.length <= toolLimits.bytes) return { ok: true, value: bytes }
    const file = `${grant.calledAs.server}-${grant.calledAs.tool}-${result.resultHash.slice(0, 12)}.json`
    const written = await files.write(file, bytes)
    return written.ok ? { ok: true, file, bytes: bytes.length } : refusal('tool.file', written.problem.message)
  }

  return {
    async call(request) {
      const startedAt = clock.now()
      const grant = grants.get(request.tool)
      if (!grant) return refusal('tool.not-granted', `tools.${request.tool} is not granted to this run.`)
      const read = readArguments(request.args)
      if (!read.ok) return refusal('tool.arguments', `tools.${request.tool} ${read.why}`)
      const { text } = read
      const key = keyOf(grant, hashText(text))
      const { server, tool, argumentsHash } = key
      // Its place in the list is where it began, however long it takes.
      const at = made.length
      const open: ToolCall = {
        ...{ server, tool, end: 'refused', startedAt, durationMs: 0, argumentsHash, resultHash: null, bytes: 0 },
      }
      made.push(open)
      const { reply, end, result } = await carryOut(grant, key, text, request).catch(
        (): Answered => ({ reply: refusal('tool.failed', 'The call could not be carried out.'), end: 'failed' }),
      )
      made[at] = {
        ...open,
        end,
        durationMs: clock.now() - startedAt,
        ...(reply.ok ? {} : { code: reply.code, message: reply.message.slice(0, 2000) }),
        ...(result ? { resultHash: result.resultHash, bytes: Buffer.byteLength(result.text) } : {}),
        ...(reply.ok && 'file' in reply ? { file: reply.file } : {}),
      }
      return reply
    },
    async taken() {
      await calls.end()
      return [...made]
    },
  }
}

/** The hashes of what a run was answered, as the record tells them, in the order of its calls. */
async function recordedCalls(audit: Pick<Audit, 'query'>, tenant: TenantId, run: RunId) {
  const { items } = await audit.query({ filter: { run, actions: ['run.finished'] }, limit: 1 })
  const entry = items[0]?.entry
  const calls = entry?.tenant === tenant ? new Facts(entry.details).list('tools').map(each => new Facts(each)) : []
  return {
    hashOf({ server, tool, argumentsHash, ordinal }: CallKey): string | null {
      const same = calls.filter(
        call =>
          call.text('server') === server && call.text('tool') === tool && call.text('argumentsHash') === argumentsHash,
      )
      return same[ordinal - 1]?.text('resultHash') || null
    },
  }
}

const nameOf = ({ calledAs: { server, tool } }: ToolGrant): string => `${server}.${tool}`
const kept = (text: string): KeptResult => ({ text, resultHash: hashText(text) })
const refusal = (code: string, message: string): ToolReply => ({ ok: false, code, message })

type ReadArguments = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string }

/** Arguments with their keys in order, so that the same ones have the same hash. */
function readArguments(bytes: Uint8Array): ReadArguments {
  const given = Buffer.from(bytes).toString('utf8')
  const value = parsed(given)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { ok: false, why: 'takes an object.' }
  const inexact = inexactIn(given)
  if (inexact !== undefined)
    return { ok: false, why: `would be sent ${Number(inexact)} for ${inexact.slice(0, 40)}: hand it over as text.` }
  return { ok: true, text: JSON.stringify(sorted(value)) }
}

/**
 * A whole number with more digits than we keep, as Python has them: with the nearest one that we know a tool would be asked
 * about another entry, or post another amount, than the code meant.
 */
const inexactIn = (json: string): string | undefined =>
  json
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .match(/(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g)
    ?.find(digits => String(Number(digits)) !== digits)

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]))
}
