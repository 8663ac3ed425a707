import type { Analyses } from './analyses/analyses.ts'
import type { AnalysisDefinition, AnalysisView, InputType } from './contract/analyses.ts'
import { checkInputs, inputNamed } from './contract/analysis-inputs.ts'
import type { WantedPlace } from './contract/placement.ts'
import { type Outcome, ok, type Problem, problem } from './contract/problem.ts'
import type { Language, RiskLevel } from './contract/run.ts'
import type { Task, TaskInput, ValueType } from './contract/workflow.ts'
import type { Caller } from './conversations/conversations.ts'
import type { Guard } from './guard/guard.ts'
import { type Tools, withTools } from './tools/tools.ts'
import {
  notAccepted,
  type Obstacle,
  outputFault,
  outputsOf,
  type PlannedTask,
  programFor,
} from './workflow/workflow.ts'
import { acceptedTool } from './workflows.ts'

interface Foresight {
  readonly guard: Pick<Guard, 'inspect'>
  readonly tools: Pick<Tools, 'known' | 'grantsFor'>
  readonly analyses: Pick<Analyses, 'show'>
  readonly whyNowhere: (wishes: { risk: RiskLevel; placement: WantedPlace | undefined }) => Problem | null
}

/** Why tasks would be refused when their turn comes, by what their code really is and by the catalogue of analyses. */
export async function obstaclesOf(
  { guard, tools, analyses, whyNowhere }: Foresight,
  who: Caller,
  planned: readonly PlannedTask[],
): Promise<Obstacle[][]> {
  const tasks = new Map(planned.map(({ name, task }) => [name, task]))
  const inspect = once((code: string, language: Language) => guard.inspect(code, language))
  const show = once((id: string) => analyses.show(id))
  const programOf = async (task: Task): Promise<Outcome<{ code: string; language: Language } | null>> => {
    switch (task.type) {
      case 'code_execution':
        return ok(task)
      case 'mcp_tool': {
        const tool = await acceptedTool(tools, who, task.server, task.tool)
        return tool ? ok(programFor(task, tool.calledAs)) : { ok: false, problem: notAccepted(task.server, task.tool) }
      }
      case 'analysis': {
        const shown = await show(task.analysis)
        return shown.ok ? ok({ code: shown.value.code, language: 'python' }) : shown
      }
      case 'approval':
        return ok(null)
    }
  }
  const whyNotRun = async ({ task, wanted }: PlannedTask): Promise<Problem | null> => {
    const program = await programOf(task)
    if (!program.ok) return whyNowhere({ risk: 'low', placement: wanted }) ?? program.problem
    if (!program.value) return null
    const { code, language } = program.value
    const found = withTools(await inspect(code, language), await tools.grantsFor(who, code))
    const { syntaxError: wrong, risk } = found
    if (wrong) return problem('run.syntax', `Line ${wrong.line ?? 1} of its code: ${wrong.message}.`, 'Correct it.')
    return whyNowhere({ risk, placement: wanted })
  }
  /** Null for a task that is no analysis, or one that the catalogue has not. */
  const analysisOf = async (task: Task | undefined): Promise<Analysis | null> => {
    const shown = task?.type === 'analysis' ? await show(task.analysis) : null
    return shown?.ok ? shown.value : null
  }
  /** What the source of a reference leaves, by its own words or by the catalogue; null where only its run tells. */
  const leftBy = async ({ from }: Reference): Promise<Outputs | null> => {
    const task = tasks.get(from.split('.')[0] as string)
    const analysis = await analysisOf(task)
    if (analysis) return outputsOfAnalysis(analysis)
    const promised = task && outputsOf(task)
    return promised ? Object.fromEntries(Object.entries(promised).map(([name, type]) => [name, [type]])) : null
  }
  return Promise.all(
    planned.map(async each => {
      const found: Obstacle[] = []
      const why = await whyNotRun(each)
      if (why) found.push({ problem: why, input: null })
      const definition = (await analysisOf(each.task))?.definition
      if (definition) found.push(...wrongValues(definition, each.task))
      for (const [input, given] of Object.entries(each.task.inputs)) {
        const outputs = 'from' in given ? await leftBy(given) : null
        if (!outputs || !('from' in given)) continue
        const fault = outputFault(given, outputs) ?? (definition && unfit(definition, input, given, outputs))
        if (fault) found.push({ problem: problem('workflow.bad-input', `${input} ${fault}`, lookThere), input })
      }
      return found
    }),
  )
}

type Analysis = Pick<AnalysisView, 'definition' | 'entry'>
type Reference = Extract<TaskInput, { from: string }>
type Outputs = Readonly<Record<string, readonly ValueType[]>>

const lookThere = 'The page of the analysis names what it takes and leaves.'

/** What is wrong with the inputs of an analysis whose values are known: results of tasks come later. */
function wrongValues({ inputs }: Pick<AnalysisDefinition, 'inputs'>, task: Pick<Task, 'inputs'>): Obstacle[] {
  const given = Object.entries(task.inputs).map(([name, value]) => ({ name, value, means: inputNamed(name, inputs) }))
  const later = new Set(given.flatMap(({ value, means }) => ('from' in value && means !== null ? [means] : [])))
  const known = Object.fromEntries(given.map(({ name, value }) => [name, 'value' in value ? value.value : undefined]))
  const checked = checkInputs(inputs, known)
  const nameOf = (path: string) => {
    const [first] = path.split(/[.[]/)
    return given.find(({ name, means }) => name === first || means === first)?.name ?? null
  }
  return (checked.ok ? [] : checked.problems)
    .filter(({ path }) => !later.has(path))
    .map(({ path, message }) => ({
      problem: problem('workflow.bad-input', message, 'Correct its inputs.'),
      input: nameOf(path),
    }))
}

/** Why an input of an analysis cannot be read from such a result: the end of a sentence. */
function unfit(
  { inputs }: Pick<AnalysisDefinition, 'inputs'>,
  name: string,
  { from, type }: Reference,
  outputs: Outputs,
): string | null {
  const spec = inputs[inputNamed(name, inputs) ?? '']
  const types = type === 'any' ? (outputs[from.split('.')[1] as string] ?? []) : [type]
  if (!spec || types.includes('any') || types.some(each => accepted[spec.type].includes(each))) return null
  return `is read from ${accepted[spec.type].join(' or ')}, but ${from} is ${types.join(' or ')}.`
}

/** What an input of an analysis can be read from. */
const accepted: Readonly<Record<InputType, readonly ValueType[]>> = {
  money: ['number', 'text'],
  number: ['number', 'text'],
  rate: ['number', 'text'],
  percent: ['number', 'text'],
  integer: ['number', 'text'],
  year: ['number', 'text'],
  tax_year: ['text'],
  date: ['text'],
  choice: ['text', 'number'],
  bool: ['boolean', 'text'],
  text: ['text', 'number'],
  list: ['list'],
  table: ['list'],
  record: ['object'],
  map: ['object', 'list'],
}

/** As what an output of an analysis of the catalogue comes. Money is text, so that no cent is lost. */
const left: Readonly<Record<InputType, readonly ValueType[]>> = {
  money: ['text'],
  number: ['number'],
  rate: ['number'],
  percent: ['number'],
  integer: ['number'],
  year: ['number'],
  tax_year: ['text'],
  date: ['text'],
  choice: ['text'],
  bool: ['boolean'],
  text: ['text'],
  list: ['list'],
  table: ['list'],
  record: ['object'],
  map: ['object'],
}
/** One of the user's own may compute with decimals where those of the catalogue do not, and the other way round. */
const decimals: readonly InputType[] = ['money', 'number', 'rate', 'percent']
const anyDecimal: readonly ValueType[] = ['number', 'text']

/** What every result has beside its figures. */
const always: Outputs = {
  analysis: ['text'],
  version: ['text'],
  folder_sha256: ['text'],
  as_of: ['text'],
  status: ['text'],
  parameters_used: ['list'],
  steps: ['list'],
}

/** The outputs of an analysis, each with the types that it may have. */
export function outputsOfAnalysis({ definition, entry }: Analysis): Outputs {
  const typesOf = (type: InputType) => (entry.origin === 'own' && decimals.includes(type) ? anyDecimal : left[type])
  const own = Object.entries(definition.outputs).map(([name, { type }]) => [name, typesOf(type)] as const)
  return { ...Object.fromEntries(own), ...always }
}

/** The same question is asked once: many tasks run the same code. */
function once<A extends readonly unknown[], T>(ask: (...args: A) => Promise<T>): (...args: A) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (...args) => {
    const key = JSON.stringify(args)
    const answer = known.get(key) ?? ask(...args)
    known.set(key, answer)
    return answer
  }
}
