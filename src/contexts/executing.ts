import type { Clock } from '../clock.ts'
import type { Output, RunOutcome } from '../contract/run.ts'
import { type Shown, sizeOf, withShown } from '../contract/shown.ts'
import { longestMs } from '../contract/tools.ts'
import type { ClearedRun } from '../runs/run.ts'
import { type CutPlace, type OutputSink, Room, type Sandbox, type ToolCalls } from '../sandbox/sandbox.ts'
import { inTime } from './in-time.ts'
import type { ContextLimits } from './limits.ts'

export interface Executed {
  readonly outcome: RunOutcome
  /** True when the sandbox ended, broke or went silent during the run; it must not be used again. */
  readonly lost: boolean
}

/** Said in the run during which a sandbox was lost. */
export const lostMessage = 'The connection to the sandbox was lost.'
const lostNotice = `${lostMessage} Its variables are gone, and files that this run had changed are as they were; the next run starts in a new sandbox.`

/** A sandbox that ended may still have the outcome of its last run on the way. */
const lastWordMs = 1_000

/** And the other way round: an outcome that blames the sandbox often comes a moment before its end is known. */
const endMs = 1_000

/** Runs code and comes back whatever happens to the sandbox. `notice` is said first, where there is one. */
export async function execute(
  sandbox: Sandbox,
  run: ClearedRun,
  notice: string | null,
  sink: OutputSink,
  signal: AbortSignal,
  { clock, limits, cutPlace }: { clock: Clock; limits: ContextLimits; cutPlace: CutPlace },
  tools?: ToolCalls,
): Promise<Executed> {
  const seen = new Transcript(run.placement.limits.outputChars)
  const started = clock.now()
  if (notice !== null) await sink({ type: 'notice', text: notice })
  let over = false
  const show: OutputSink = output => {
    // A sandbox that was taken for lost may wake up again; its run has been answered for.
    if (over) return
    seen.add(output)
    return sink(output)
  }
  const silence = new Silence(sandbox, run, signal, clock, limits)
  const finished = await Promise.race([
    attempt(() => sandbox.run(run, show, signal, tools)).then(async outcome => {
      if (outcome?.error?.kind === 'sandbox') await inTime(sandbox.ended, endMs, clock)
      return outcome && { outcome, lost: silence.ended }
    }),
    silence.detected,
  ])
  over = true
  silence.dispose()
  const executed = finished ?? {
    outcome: await lostOutcome(sandbox, seen, cutPlace, clock.now() - started),
    lost: true,
  }
  if (executed.lost) await sink({ type: 'notice', text: lostNotice })
  const notices = [notice, executed.lost ? lostNotice : null]
  return { lost: executed.lost, outcome: withNotices(executed.outcome, notices) }
}

/** A run never rejects for what the code does: when it does reject, the sandbox is broken. */
async function attempt(run: () => Promise<RunOutcome>): Promise<RunOutcome | null> {
  try {
    return await run()
  } catch {
    return null
  }
}

/** Finds out that no outcome will come: the sandbox ended, or it kept silent past every limit. */
class Silence {
  ended = false
  readonly detected: Promise<null>
  readonly #stops: (() => void)[] = []

  constructor(sandbox: Sandbox, run: ClearedRun, signal: AbortSignal, clock: Clock, limits: ContextLimits) {
    this.detected = new Promise(resolve => {
      const within = (ms: number) => this.#stops.push(clock.after(ms, () => resolve(null)))
      within(longestMs(run.placement) + limits.marginMs)
      const onAbort = () => within(limits.stopMs)
      if (signal.aborted) onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      this.#stops.push(() => signal.removeEventListener('abort', onAbort))
      const onEnd = () => {
        this.ended = true
        within(lastWordMs)
      }
      sandbox.ended.then(onEnd, onEnd)
    })
  }

  dispose(): void {
    for (const stop of this.#stops.splice(0)) stop()
  }
}

/** What a run has shown so far, up to what is kept of it: all that is left when its sandbox cannot tell any more. */
class Transcript {
  truncated = false
  #outputs: Output[] = []
  readonly #chars: number
  #room: Room<'stdout' | 'stderr'>

  constructor(chars: number) {
    this.#chars = chars
    this.#room = new Room(chars)
  }

  add(shown: Shown): void {
    if (shown.type === 'clear') this.#room = new Room(this.#chars)
    if (shown.type === 'stream') {
      const text = this.#room.take(shown.name, shown.text)
      if (text) this.#outputs = withShown(this.#outputs, [{ ...shown, text }])
      this.truncated ||= this.#room.isFull
    } else if (this.#room.fits(sizeOf(shown))) this.#outputs = withShown(this.#outputs, [shown])
    else this.truncated = true
  }

  async end(place: CutPlace): Promise<Pick<RunOutcome, 'stdout' | 'stderr' | 'outputs'>> {
    for (const name of ['stdout', 'stderr'] as const) {
      const last = this.#outputs.findLast(each => each.type === 'stream' && each.name === name)
      if (last?.type === 'stream') last.text = await this.#room.end(name, last.text, place)
    }
    const text = (name: 'stdout' | 'stderr') =>
      this.#outputs.map(each => (each.type === 'stream' && each.name === name ? each.text : '')).join('')
    return { stdout: text('stdout'), stderr: text('stderr'), outputs: this.#outputs.map(unnamed) }
  }
}

const unnamed = (output: Output): Output => {
  if (output.type !== 'display') return output
  const { displayId: _, ...display } = output
  return display
}

async function lostOutcome(
  sandbox: Sandbox,
  seen: Transcript,
  place: CutPlace,
  executionTimeMs: number,
): Promise<RunOutcome> {
  const error = { kind: 'sandbox' as const, name: 'SandboxLost', message: lostMessage, traceback: [] }
  const { outputs, ...printed } = await seen.end(place)
  return {
    success: false,
    ...printed,
    truncated: seen.truncated,
    exitCode: null,
    outputs: [...outputs, { type: 'error', error }],
    executionTimeMs,
    cpuTimeMs: 0,
    peakMemoryBytes: 0,
    files: { created: [], modified: [], deleted: [] },
    network: [],
    warnings: [],
    error,
    sandbox: sandbox.kind,
    sandboxId: sandbox.id,
    isolation: sandbox.isolation,
  }
}

/** The first notice stands before what the code showed, the second after it; both are warnings too. */
function withNotices(outcome: RunOutcome, [before, after]: readonly (string | null | undefined)[]): RunOutcome {
  if (!before && !after) return outcome
  const say = (text: string | null | undefined): Output[] => (text ? [{ type: 'notice', text }] : [])
  return {
    ...outcome,
    outputs: [...say(before), ...outcome.outputs, ...say(after)],
    warnings: [...[before, after].filter(text => typeof text === 'string'), ...outcome.warnings],
  }
}
