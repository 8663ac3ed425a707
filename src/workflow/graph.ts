import { isAlias, isMap, LineCounter, parseDocument } from 'yaml'
import type { WantedPlace } from '../contract/placement.ts'
import { isolations } from '../contract/run.ts'
import { type GraphFault, type Task, type TaskInput, type ValueType, WorkflowSpec } from '../contract/workflow.ts'
import { readChoice } from './choosing.ts'

/** A graph that can run: checked, and cut into layers whose tasks do not wait for each other. */
export interface Graph {
  readonly spec: WorkflowSpec
  readonly layers: readonly (readonly string[])[]
  /** By task, all that it waits for. */
  readonly needs: ReadonlyMap<string, readonly string[]>
  /** By task, what it wants of its sandbox, and the line that says so. */
  readonly placements: ReadonlyMap<string, TaskPlace>
}

export interface TaskPlace {
  readonly wanted: WantedPlace
  readonly line: number | null
}

export type Parsed = { readonly graph: Graph } | { readonly faults: readonly GraphFault[] }

/** Longer texts are not graphs that somebody wrote. */
const maxChars = 1_000_000

/** Reads a graph from YAML or JSON. Everything that is wrong is told at once, each on its line. */
export function parseGraph(text: string): Parsed {
  if (text.length > maxChars)
    return { faults: [{ message: 'The graph is longer than a million characters.', line: null }] }
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: true, merge: false })
  const lineAt = (offset: number | undefined) => (offset === undefined ? null : counter.linePos(offset).line)
  if (document.errors.length > 0)
    return { faults: document.errors.map(error => ({ message: firstLine(error.message), line: lineAt(error.pos[0]) })) }

  const line = (path: readonly PropertyKey[]): number | null => lineAt(positionOf(document.contents, path))
  let value: unknown
  try {
    // Aliases let a short text stand for a huge value.
    value = document.toJS({ maxAliasCount: 50 })
  } catch {
    return { faults: [{ message: 'The graph repeats itself too often by aliases.', line: null }] }
  }
  const parsed = WorkflowSpec.safeParse(value)
  if (!parsed.success)
    return {
      faults: parsed.error.issues.map(issue => {
        // An invalid key carries its reason one level deeper.
        const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
        const { path } = issue
        return { message: path.length > 0 ? `${path.join('.')}: ${message}` : message, line: line(path) }
      }),
    }
  return checkGraph(parsed.data, line)
}

/** What no schema can say: references, types, cycles. */
export function checkGraph(
  spec: WorkflowSpec,
  line: (path: readonly PropertyKey[]) => number | null = () => null,
): Parsed {
  const tasks = new Map(Object.entries(spec.tasks))
  const faults: GraphFault[] = []
  const needs = new Map<string, string[]>()
  for (const [name, task] of tasks) {
    const wanted = new Set<string>()
    for (const other of task.needs) {
      if (tasks.has(other)) wanted.add(other)
      else
        faults.push({
          message: `${name} needs ${other}, ${noTask(other, tasks)}`,
          line: line(['tasks', name, 'needs']),
        })
    }
    for (const [input, given] of Object.entries(task.inputs)) {
      if (!('from' in given)) continue
      const fault = checkReference(name, input, given, tasks)
      if (fault) faults.push({ message: fault, line: line(['tasks', name, 'inputs', input]) })
      const source = given.from.split('.')[0] as string
      if (tasks.has(source)) wanted.add(source)
    }
    const fault = checkChoice(name, task)
    if (fault) faults.push({ message: fault, line: line(['tasks', name, 'choose']) })
    needs.set(name, [...wanted].sort())
  }
  const placements = placementsOf(tasks, line)
  if ('faults' in placements) faults.push(...placements.faults)
  const { layers, left } = cut(needs)
  if (left.length > 0) {
    const cycle = cycleIn(needs, left)
    faults.push({
      message: `These tasks wait for each other: ${cycle.join(' → ')}.`,
      line: line(['tasks', cycle[0] as string]),
    })
  }
  return faults.length > 0 || 'faults' in placements
    ? { faults }
    : { graph: { spec, layers, needs, placements: placements.found } }
}

/** The results that a task promises; null where only running it tells. */
export function outputsOf(task: Task): Readonly<Record<string, ValueType>> | null {
  switch (task.type) {
    case 'code_execution':
      return task.outputs
    case 'approval':
      return { approved: 'boolean', comment: 'text' }
    case 'mcp_tool':
      return { result: 'any' }
    case 'analysis':
      return null
  }
}

/** A task with all that waits for it, near or far. */
export function fromHere({ needs }: Graph, task: string): Set<string> {
  const found = new Set([task])
  for (let before = 0; before < found.size; ) {
    before = found.size
    for (const [name, wanted] of needs) if (wanted.some(other => found.has(other))) found.add(name)
  }
  return found
}

function checkReference(
  name: string,
  input: string,
  given: Extract<TaskInput, { from: string }>,
  tasks: ReadonlyMap<string, Task>,
): string | null {
  const [source, output] = given.from.split('.') as [string, string]
  const task = tasks.get(source)
  if (!task) return `${name}.${input} is taken from ${source}, ${noTask(source, tasks)}`
  const outputs = outputsOf(task)
  if (!outputs) return null
  const type = outputs[output]
  if (!type) {
    const known = Object.keys(outputs)
    const has = known.length > 0 ? `It has ${known.join(', ')}.` : 'It has none.'
    return `${name}.${input} is taken from ${given.from}, but ${source} has no output ${output}. ${has}`
  }
  if (type !== 'any' && given.type !== 'any' && type !== given.type)
    return `${name}.${input} is to be ${given.type}, but ${given.from} is ${type}.`
  return null
}

function checkChoice(name: string, task: Task): string | null {
  if (task.type !== 'code_execution') return null
  const { candidates, choose, outputs, sandbox } = task
  if ((candidates === undefined) !== (choose === undefined)) return `${name}: candidates and choose go together.`
  // Side by side in one sandbox they would overwrite each other's files and variables.
  if (candidates && sandbox === 'shared') return `${name}: candidates have a sandbox each, and cannot share one.`
  if (!choose || choose === 'reviewer') return null
  const reading = readChoice(choose, outputs)
  return 'fault' in reading ? `${name}: ${reading.fault}.` : null
}

/** Tasks that share a sandbox get one that is enough for each of them. */
function placementsOf(
  tasks: ReadonlyMap<string, Task>,
  line: (path: readonly PropertyKey[]) => number | null,
): { found: Map<string, TaskPlace> } | { faults: GraphFault[] } {
  const found = new Map<string, TaskPlace>()
  const sharing: string[] = []
  for (const [name, task] of tasks) {
    if (task.type === 'code_execution' && task.sandbox === 'shared') sharing.push(name)
    if (task.type !== 'approval' && task.placement)
      found.set(name, { wanted: task.placement, line: line(['tasks', name, 'placement']) })
  }
  const asked = sharing.flatMap(name => found.get(name) ?? [])
  const kind = asked.find(({ wanted }) => wanted.kind)?.wanted.kind
  const other = asked.find(({ wanted }) => wanted.kind && wanted.kind !== kind)
  if (other)
    return {
      faults: [
        { message: `Tasks that share a sandbox ask for ${kind} and for ${other.wanted.kind}.`, line: other.line },
      ],
    }
  const [strictest] = asked.toSorted((a, b) => strength(b.wanted) - strength(a.wanted))
  const isolation = strictest?.wanted.isolation
  const wanted = { ...(isolation ? { isolation } : {}), ...(kind ? { kind } : {}) }
  if (strictest) for (const name of sharing) found.set(name, { wanted, line: found.get(name)?.line ?? strictest.line })
  return { found }
}

const strength = ({ isolation }: WantedPlace): number => (isolation ? isolations.indexOf(isolation) : -1)

function noTask(name: string, tasks: ReadonlyMap<string, Task>): string {
  const near = [...tasks.keys()].find(other => other.toLowerCase() === name.toLowerCase())
  return near ? `but the task is called ${near}.` : 'which is no task of this workflow.'
}

/** Layer by layer what waits for nothing more; `left` is in a cycle, or behind one. */
function cut(needs: ReadonlyMap<string, readonly string[]>) {
  const layers: string[][] = []
  const done = new Set<string>()
  let left = [...needs.keys()]
  for (;;) {
    const ready = left.filter(name => needs.get(name)?.every(other => done.has(other)))
    if (ready.length === 0) return { layers, left }
    layers.push(ready.sort())
    for (const name of ready) done.add(name)
    left = left.filter(name => !done.has(name))
  }
}

function cycleIn(needs: ReadonlyMap<string, readonly string[]>, left: readonly string[]): string[] {
  const stuck = new Set(left)
  const walked: string[] = []
  let here = left[0] as string
  while (!walked.includes(here)) {
    walked.push(here)
    here = needs.get(here)?.find(other => stuck.has(other)) as string
  }
  return [...walked.slice(walked.indexOf(here)), here]
}

function positionOf(node: unknown, path: readonly PropertyKey[]): number | undefined {
  let here = node
  let at = rangeOf(node)
  for (const part of path) {
    if (isAlias(here) || !isMap(here)) break
    const pair = here.items.find(item => String((item.key as { value?: unknown })?.value ?? item.key) === String(part))
    if (!pair) break
    at = rangeOf(pair.key) ?? at
    here = pair.value
  }
  return at
}

const rangeOf = (node: unknown): number | undefined => (node as { range?: [number] } | null)?.range?.[0]
const firstLine = (text: string) => text.split('\n')[0] as string
