import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type AnalysisRequest, AnalysisType, analysisTypes } from '../../../contract/analyses.ts'
import type { Problem } from '../../../contract/problem.ts'
import type { Engine } from '../../../engine/engine.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { answerLines } from './analyses-lines.ts'
import { listText, resultText, viewText } from './analyses-text.ts'
import { follow, settle, turnedAway } from './run.ts'

export const command: Command = {
  help: `
Usage: countersign analyses list [--type T] [--jurisdiction J] [--on DATE] [--json]
       countersign analyses show ID [--version V] [--json]
       countersign analyses run ID --input NAME=VALUE … [--as-of DATE] [--json]
       countersign analyses run --jsonl FILE|-
       countersign analyses check [ID …] [--json]

  list      what can be calculated; --on keeps those whose law is known for a day
  show      inputs, outputs, parameters with their citations, examples
  run       calculates in a sandbox, like any code; the record has it
  check     runs the worked examples in a sandbox

Options of run:
  --input NAME=VALUE   an input, as often as needed; lists and tables as JSON, or NAME=@FILE for a file of JSON
  --as-of DATE         the day whose law counts, where no input says so
  --version V          an older version
  --code FILE          your own code in place of the catalogue's; it is given the same inputs and parameters
  --approve            approve it yourself where the policy asks
  --reason TEXT        why you approve it, where the policy wants to know
  --jsonl              reads { "id", "analysis", "input" } a line (as_of and version too, where wanted) and answers
                       { "id", "output" } or { "id", "error" } a line, in order

Exit: 0 success, 1 a calculation or example failed, 2 wrong use or inputs, 3 refused, 4 no sandbox available.

Examples:
  countersign analyses run ie-prsi --input pay_date=2025-10-01 --input weekly_earnings=600
  countersign analyses run lcr --input 'hqla={"level1":"100"}' --input 'outflows=[["retail_stable","1000"]]'
`,
  options: {
    input: { type: 'string', multiple: true },
    'as-of': { type: 'string' },
    version: { type: 'string' },
    code: { type: 'string' },
    type: { type: 'string' },
    jurisdiction: { type: 'string' },
    on: { type: 'string' },
    approve: { type: 'boolean' },
    reason: { type: 'string' },
    json: { type: 'boolean' },
    jsonl: { type: 'boolean' },
  },
  async run(args, io) {
    const [verb, ...rest] = args.positionals
    switch (verb) {
      case 'list':
        return list(args, io)
      case 'show':
        return show(rest, args, io)
      case 'run':
        return args.values.jsonl ? answerLines(rest, args, io) : runOne(rest, args, io)
      case 'check':
        return check(rest, args, io)
      default:
        throw new UsageError('say list, show, run or check')
    }
  },
}

async function list({ values, positionals }: Arguments, io: Io): Promise<number> {
  if (positionals.length > 1) throw new UsageError('list takes no name; `show ID` tells about one')
  if (values.type !== undefined && !AnalysisType.safeParse(values.type).success) {
    throw new UsageError(`--type must be one of ${analysisTypes.join(', ')}`)
  }
  const { on, type, jurisdiction } = values
  return withEngine(io, async engine => {
    const { entries, problems } = await engine.analyses.list()
    const wanted = entries.filter(
      entry =>
        (type === undefined || entry.type === type) &&
        (jurisdiction === undefined || entry.jurisdiction.split('/').includes(String(jurisdiction).toUpperCase())) &&
        (on === undefined || !entry.known || (entry.known.from <= String(on) && String(on) < entry.known.until)),
    )
    io.stdout.write(values.json ? `${JSON.stringify({ analyses: wanted, problems })}\n` : listText(wanted))
    for (const { message, hint } of problems) io.stderr.write(`countersign: ${message} ${hint}\n`)
    return exit.success
  })
}

async function show(names: readonly string[], { values }: Arguments, io: Io): Promise<number> {
  const [id, ...more] = names
  if (!id || more.length > 0) throw new UsageError('name one analysis')
  return withEngine(io, async engine => {
    const found = await engine.analyses.show(id, values.version as string | undefined)
    if (!found.ok) return report(io, values, found.problem)
    io.stdout.write(values.json ? `${JSON.stringify(found.value)}\n` : viewText(found.value))
    return exit.success
  })
}

async function runOne(names: readonly string[], { values }: Arguments, io: Io): Promise<number> {
  const [analysis, ...more] = names
  if (!analysis || more.length > 0) throw new UsageError('name one analysis')
  const request: AnalysisRequest = {
    analysis,
    inputs: await inputsOf((values.input ?? []) as string[], io),
    ...(values.version === undefined ? {} : { version: String(values.version) }),
    ...(values['as-of'] === undefined ? {} : { as_of: String(values['as-of']) }),
    ...(values.code === undefined ? {} : { code: await readText(String(values.code), io) }),
  }
  return withEngine(io, async engine => {
    const batch = engine.analyses.batch(engine.caller, { signal: io.signal, settle: settling(engine, io, values) })
    try {
      const [answer] = await batch.run([request])
      if (!answer || 'error' in answer) return report(io, values, answer?.error)
      io.stdout.write(values.json ? `${JSON.stringify(answer.output)}\n` : resultText(answer.output))
      return exit.success
    } finally {
      await batch.close()
    }
  })
}

async function check(ids: readonly string[], { values }: Arguments, io: Io): Promise<number> {
  return withEngine(io, async engine => {
    const all = []
    let failed = 0
    for await (const checked of engine.analyses.check(engine.caller, ids.length > 0 ? ids : undefined, io.signal)) {
      all.push(checked)
      const wrong = checked.results.filter(result => !result.passed)
      if (checked.problem || wrong.length > 0) failed++
      if (values.json) continue
      const said = checked.problem
        ? checked.problem.message
        : `${checked.results.length - wrong.length} of ${checked.results.length} examples`
      io.stdout.write(
        `${wrong.length > 0 || checked.problem ? 'FAILED' : 'ok    '} ${checked.analysis.padEnd(24)} ${said}\n`,
      )
      for (const { example, difference } of wrong) io.stdout.write(`         ${example}: ${difference}\n`)
    }
    if (values.json) io.stdout.write(`${JSON.stringify({ analyses: all })}\n`)
    return failed > 0 ? exit.failed : exit.success
  })
}

/** Lets a run that waits be decided as `countersign run` does, and answers how it ended. */
export const settling =
  (engine: Engine, io: Io, values: Arguments['values']) =>
  async (
    ...[waiting, path]: Parameters<NonNullable<Parameters<Engine['analyses']['batch']>[1]>['settle'] & object>
  ) => {
    const run = follow(engine, path, () => undefined)
    try {
      const refusal = await settle(engine, waiting, io, values)
      return refusal ? turnedAway(waiting, refusal) : await run.over
    } finally {
      run.stop()
    }
  }

async function inputsOf(given: readonly string[], io: Io): Promise<Record<string, unknown>> {
  const inputs: [string, unknown][] = []
  for (const each of given) {
    const at = each.indexOf('=')
    if (at < 1) throw new UsageError(`--input ${each}: write NAME=VALUE`)
    const name = each.slice(0, at)
    const text = each.slice(at + 1)
    const value = text.startsWith('@')
      ? json(name, await readText(text.slice(1), io))
      : /^[[{]/.test(text)
        ? json(name, text)
        : text
    inputs.push([name, value])
  }
  return Object.fromEntries(inputs)
}

function json(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`--input ${name}: not JSON (${error instanceof Error ? error.message : error})`)
  }
}

async function readText(file: string, io: Io): Promise<string> {
  try {
    return await readFile(resolve(io.cwd, file), 'utf8')
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : error}`)
  }
}

function report(io: Io, values: Arguments['values'], problem: Problem | undefined): number {
  if (!problem) return exit.failed
  if (values.json) io.stdout.write(`${JSON.stringify({ error: problem })}\n`)
  else io.stderr.write(`countersign analyses: ${problem.message}\n${problem.hint}\n`)
  return exitOf(problem)
}

function exitOf({ code }: Problem): number {
  if (code === 'analysis.unknown' || code === 'analysis.input') return exit.usage
  if (code.startsWith('approval.') || code.startsWith('policy.')) return exit.refused
  if (code.startsWith('sandbox.') || code === 'context.unavailable') return exit.unavailable
  return exit.failed
}
