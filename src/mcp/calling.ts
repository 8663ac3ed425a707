import { createHash } from 'node:crypto'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Caller } from '../contract/caller.ts'
import type { CellId, ConversationId, PathId, RunId, TenantId } from '../contract/ids.ts'
import {
  type CallTool,
  effectOf,
  maxArgumentChars,
  type ServerTool,
  type ToolAnswer,
  type ToolEffect,
} from '../contract/mcp-servers.ts'
import { type Policy, toolAction } from '../contract/policy.ts'
import { fail, type Outcome, ok, problemOf } from '../contract/problem.ts'
import type { Privacy, SeveralPassing } from '../privacy/privacy.ts'
import type { Storage, Transaction } from '../storage/storage.ts'
import type { Acceptance } from './acceptance.ts'
import { type Connection, maxResultChars, maxResultCharsOfRuns } from './connection.ts'
import { Rate } from './rate.ts'
import { deeperThan, mostLevels, type ReadTool } from './tools.ts'

/** The run whose approval covers calls. */
export interface CallingRun {
  readonly conversation: ConversationId
  readonly path: PathId
  readonly cell: CellId | null
  readonly run: RunId
}

/** The calls of one run. */
export interface RunCalls {
  /** `ordinal`: its number among the same calls of the run, which a replay answers by. */
  call(asked: CallTool, ordinal: number, signal?: AbortSignal): Promise<Outcome<ToolAnswer>>
  /** Writes something about a call along with what the record is told of it. */
  write(work: (transaction: Transaction) => Promise<void>): void
  /** Resolves once all that belongs to these calls is written; rejects where that cannot be done. */
  end(): Promise<void>
}

export interface Calling {
  call(who: Caller, asked: CallTool, signal?: AbortSignal): Promise<Outcome<ToolAnswer>>
  ofRun(who: Caller, run: CallingRun): RunCalls
}

export interface CallingOptions {
  readonly clock: Clock
  readonly storage: Storage
  readonly audit: Pick<Audit, 'append'>
  readonly privacy: Pick<Privacy, 'egress' | 'forRecord' | 'maskForRecord'>
  readonly policy: () => Promise<Policy>
  readonly tenant: TenantId
  readonly acceptance: Acceptance
  readonly connectionOf: (name: string) => Outcome<Connection>
}

/** What one call and the calls of a run do differently. */
interface Way {
  readonly run: CallingRun | null
  readonly ordinal: number | null
  readonly mostResultChars: number
  pass(server: string, args: CallTool['arguments']): ReturnType<SeveralPassing['pass']>
  write(work: (transaction: Transaction) => Promise<void>, effect: ToolEffect): Promise<void> | void
}

/**
 * Code that reads again and again does not wait for the disk each time: what it did in this while is written at once. What
 * may have changed something is on the record before the code goes on.
 */
const gatherMs = 25
const maxBodyChars = 256 * 1024

/** Calls of tools that are what was accepted: arguments checked, policy, rate, egress guard, record. */
export function createCalling(options: CallingOptions): Calling {
  const { clock, storage, audit, privacy, policy, tenant, acceptance, connectionOf } = options
  const rate = new Rate(clock)

  async function carryOut(who: Caller, asked: CallTool, way: Way, signal?: AbortSignal): Promise<Outcome<ToolAnswer>> {
    const { server, tool } = asked
    const bounded = boundedArguments(asked)
    if (!bounded.ok) return bounded
    const connection = connectionOf(server)
    if (!connection.ok) return connection
    const found = await callable(connection.value, asked, signal)
    if (!found.ok) return found
    const effect = effectOf(found.value.tool)
    const may = await allowed({ server, effect }, way.run !== null)
    if (!may.ok) return may
    const { checkArguments } = await import('./arguments.ts')
    const fits = checkArguments(found.value.tool, asked.arguments)
    if (!fits.ok) return fits
    return rate.within(`${server}.${tool}`, async () => {
      const passed = await way.pass(server, asked.arguments)
      if (!passed.ok) return passed
      const begun = clock.now()
      const args = passed.value.value as CallTool['arguments']
      const answer = await connection.value.call(tool, args, signal, way.mostResultChars)
      const entry = await entryOf(who, asked, way, { hash: found.value.hash, answer, durationMs: clock.now() - begun })
      await way.write(async transaction => void (await audit.append(transaction, entry)), effect)
      return answer
    })
  }

  /** The tool, where it is what was accepted, and what was granted. */
  async function callable(connection: Connection, asked: CallTool, signal?: AbortSignal): Promise<Outcome<ReadTool>> {
    const { server, tool, hash } = asked
    const listed = await connection.known(signal)
    if (!listed.ok) return listed
    const found = listed.value.tools.find(each => each.tool.name === tool)
    if (!found) return fail('not-found', `${server} has no tool ${tool}.`, 'See its list of tools.')
    const before = await acceptance.one(server, tool)
    if (before?.hash === found.hash && (hash === undefined || hash === found.hash)) return ok(found)
    const why = before ? 'changed after it was accepted' : 'has not been accepted yet'
    return fail('mcp.unaccepted', `The tool ${tool} of ${server} ${why}.`, 'Look at it, then accept it.')
  }

  async function allowed(tool: Pick<ServerTool, 'server' | 'effect'>, isOfRun: boolean): Promise<Outcome<void>> {
    const action = toolAction(await policy(), tool)
    if (action === 'block')
      return fail('policy.blocked', `The policy does not let this tool of ${tool.server} be called.`, 'See the policy.')
    if (action !== 'four-eyes' || isOfRun) return ok(undefined)
    return fail(
      'approval.four-eyes',
      'Somebody else must approve this call.',
      'Call it from a cell, which is reviewed.',
    )
  }

  async function entryOf(who: Caller, asked: CallTool, { run, ordinal }: Way, { hash, answer, durationMs }: Made) {
    const told = answer.ok ? answer.value : { problem: answer.problem.code }
    const bytes = Buffer.byteLength(JSON.stringify(told))
    /** A text for the record, without private values. */
    const text = async (value: unknown): Promise<string> =>
      run ? privacy.forRecord(run.conversation, JSON.stringify(value)) : JSON.stringify(privacy.maskForRecord(value))
    const { cell, ...of } = run ?? { cell: null }
    return {
      action: 'mcp.called' as const,
      tenant,
      actor: who.user,
      ...of,
      ...(cell ? { cell } : {}),
      details: {
        ...{ server: asked.server, tool: asked.tool, toolHash: hash, success: answer.ok && !answer.value.isError },
        ...{ argumentsHash: hashOf(asked.arguments), resultHash: hashOf(told), durationMs },
        ...(ordinal === null ? {} : { ordinal }),
        bytes,
        ...(answer.ok ? {} : { problem: answer.problem.code }),
      },
      bodies: {
        arguments: await text(asked.arguments),
        // Of a long one the hash is enough: scanning it would take longer than the call.
        ...(bytes > maxBodyChars ? {} : { result: await text(told) }),
      },
    }
  }

  return {
    call: (who, asked, signal) =>
      carryOut(
        who,
        asked,
        {
          ...{ run: null, ordinal: null, mostResultChars: maxResultChars },
          pass: (server, args) =>
            privacy.egress.pass('model', args, { to: receiver(server), conversation: null, knowsTokens: false }),
          write: work => storage.write(work),
        },
        signal,
      ),

    ofRun(who, run) {
      const journeys = new Map<string, SeveralPassing>()
      const writing: Promise<void>[] = []
      let failure: unknown = null
      const passing = (server: string): SeveralPassing => {
        const journey = { to: receiver(server), conversation: run.conversation, knowsTokens: true }
        const known = journeys.get(server) ?? privacy.egress.passSeveral('model', journey)
        journeys.set(server, known)
        return known
      }
      const write = (work: (transaction: Transaction) => Promise<void>, withinMs = gatherMs): Promise<void> => {
        const written = storage.write(work, withinMs)
        written.catch(error => {
          failure ??= error
        })
        writing.push(written)
        return written
      }
      return {
        write: work => void write(work),
        async call(asked, ordinal, signal) {
          // What cannot be put on the record is not done once more, and its answer is nobody's.
          const unrecorded = () => failure !== null && { ok: false as const, problem: problemOf(failure) }
          const way: Way = {
            ...{ run, ordinal, mostResultChars: maxResultCharsOfRuns },
            pass: (server, args) => passing(server).pass(args),
            write: (work, effect) => (effect === 'reads' ? void write(work) : write(work, 0).catch(() => undefined)),
          }
          return unrecorded() || (await carryOut(who, asked, way, signal).then(answer => unrecorded() || answer))
        },
        async end() {
          await Promise.all([...Array.from(journeys.values(), each => each.end()), ...writing])
        },
      }
    },
  }
}

interface Made {
  readonly hash: string
  readonly answer: Outcome<ToolAnswer>
  readonly durationMs: number
}

const receiver = (server: string): string => `MCP server ${server}`

function boundedArguments({ arguments: args }: CallTool): Outcome<void> {
  if (deeperThan(args, mostLevels))
    return fail('mcp.arguments', `The arguments are nested more than ${mostLevels} levels deep.`, 'Make them flatter.')
  return JSON.stringify(args).length > maxArgumentChars
    ? fail('request.too-large', 'The arguments are longer than 1 MB.', 'Hand over less.')
    : ok(undefined)
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')
