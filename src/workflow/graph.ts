import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml'
import type { WantedPlace } from '../contract/placement.ts'
import { isolations } from '../contract/run.ts'
import { type GraphFault, type Task, type TaskInput, type ValueType, WorkflowSpec } from '../contract/workflow.ts'
import { readChoice } from './choosing.ts'
import { formFaults } from './faults.ts'

/** A graph that can run: checked, and cut into layers whose tasks do not wait for each other. */
export interface Graph {
  readonly spec: WorkflowSpec
  readonly layers: readonly (readonly string[])[]
  /** By task, all that it waits for. */
  readonly needs: ReadonlyMap<string, readonly string[]>
  /** By task that runs something: where. */
  readonly placements: ReadonlyMap<string, TaskPlace>
  /** By task and input (`load.total`): where the text gives it. */
  readonly inputLines: ReadonlyMap<string, number | null>
}

export const noGraph: Graph = {
  spec: { name: '', tasks: {} },
  layers: [],
  needs: new Map(),
  placements: new Map(),
  inputLines: new Map(),
}

export interface TaskPlace {
  /** What its author wants of its sandbox; left out where the policy alone decides. */
  readonly wanted: WantedPlace | undefined
  /** Where the text says so, or says what is to run. */
  readonly line: number | null
}

export type Parsed = { readonly graph: Graph } | { readonly faults: readonly GraphFault[] }

/** Longer texts are not graphs that somebody wrote; a hostile one of this length holds everybody up for a second. */
const maxChars = 250_000

/** Reads a graph from YAML or JSON. Everything that is wrong is told at once, each on its line. */
export function parseGraph(text: string): Parsed {
  if (text.length > maxChars)
    return { faults: [{ message: 'The graph is longer than 250,000 characters.', line: null }] }
  const counter = new LineCounter()
  // The parser compares each key with every other one: that of a long hostile map would take minutes.
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: false, merge: false, prettyErrors: false })
  const lineAt = (offset: number | undefined) => (offset === undefined ? null : counter.linePos(offset).line)
  if (document.errors.length > 0)
    return { faults: document.errors.map(error => ({ message: yamlFault(error), line: lineAt(error.pos[0]) })) }

  const twice = secondOf(document)
  if (twice) return { faults: [{ message: 'This key stands twice in its block.', line: lineAt(twice.at) }] }
  const positionOf = positions(document.contents)
  const line = (path: readonly PropertyKey[]): number | null => lineAt(positionOf(path))
  let value: unknown
  try {
    // Aliases let a short text stand for a huge value.
    value = document.toJS({ maxAliasCount: 50 })
  } catch {
    return { faults: [{ message: 'The graph repeats itself too often by aliases.', line: null }] }
  }
  const parsed = WorkflowSpec.safeParse(value)
  if (!parsed.success) return { faults: formFaults(parsed.error.issues, value, line) }
  return checkGraph(parsed.data, line)
}

/**
 * The first key that its map has already: of two that say different things, one would be lost unseen. Keys are compared as
 * they come out of the document: `true` and "true" are one, and so is an alias with what it stands for.
 */
function secondOf(document: Document): { at: number | undefined } | null {
  let found: { at: number | undefined } | null = null
  visit(document, {
    Map(_, { items }) {
      const known = new Set<unknown>()
      for (const { key } of items) {
        const node = isAlias(key) ? key.resolve(document) : key
        const name = isScalar(node) ? String(node.value) : key
        if (known.has(name)) {
          found = { at: isNode(key) ? key.range?.[0] : undefined }
          return visit.BREAK
        }
        known.add(name)
      }
      return undefined
    },
  })
  return found
}

/** What no schema can say: references, types, cycles. */
export function checkGraph(
  spec: WorkflowSpec,
  line: (path: readonly PropertyKey[]) => number | null = () => null,
): Parsed {
  const tasks = new Map(Object.entries(spec.tasks))
  const faults: GraphFault[] = []
  const needs = new Map<string, string[]>()
  const inputLines = new Map<string, number | null>()
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
      const at = line(['tasks', name, 'inputs', input])
      inputLines.set(`${name}.${input}`, at)
      if (!('from' in given)) continue
      const fault = checkReference(name, input, given, tasks)
      if (fault) faults.push({ message: fault, line: at })
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
    : { graph: { spec, layers, needs, placements: placements.found, inputLines } }
}

/** The results that a task promises; null where that is for the catalogue of analyses to say. */
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

type Reference = Extract<TaskInput, { from: string }>

function checkReference(
  name: string,
  input: string,
  given: Reference,
  tasks: ReadonlyMap<string, Task>,
): string | null {
  const source = given.from.split('.')[0] as string
  const task = tasks.get(source)
  if (!task) return `${name}.${input} is taken from ${source}, ${noTask(source, tasks)}`
  const outputs = outputsOf(task)
  if (!outputs) return null
  const types = Object.entries(outputs).map(([output, type]) => [output, [type]] as const)
  const fault = outputFault(given, Object.fromEntries(types))
  return fault && `${name}.${input} ${fault}`
}

/** What is wrong with a reference to one of these outputs, each with the types that it may have: the end of a sentence. */
export function outputFault(
  { from, type }: Reference,
  outputs: Readonly<Record<string, readonly ValueType[]>>,
): string | null {
  const [source, output] = from.split('.') as [string, string]
  const types = Object.hasOwn(outputs, output) ? (outputs[output] ?? []) : []
  if (types.length === 0) {
    const known = Object.keys(outputs)
    const has = known.length > 0 ? `It has ${known.join(', ')}.` : 'It has none.'
    return `is taken from ${from}, but ${source} has no output ${output}. ${has}`
  }
  if (type === 'any' || types.includes('any') || types.includes(type)) return null
  return `is to be ${type}, but ${from} is ${types.join(' or ')}.`
}

function checkChoice(name: string, task: Task): string | null {
  if (task.type !== 'code_execution') return null
  const { candidates, choose, outputs } = task
  if ((candidates === undefined) !== (choose === undefined)) return `${name}: candidates and choose go together.`
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
    if (task.type === 'approval') continue
    const { placement: wanted } = task
    found.set(name, { wanted, line: line(['tasks', name, wanted ? 'placement' : said[task.type]]) })
  }
  const asked = sharing.flatMap(name => {
    const { wanted, line: at = null } = found.get(name) ?? {}
    return wanted ? [{ name, wanted, line: at }] : []
  })
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
  for (const name of strictest ? sharing : [])
    found.set(name, { wanted, line: (asked.find(each => each.name === name) ?? strictest)?.line ?? null })
  return { found }
}

/** The key that says what a task runs. */
const said = { code_execution: 'code', analysis: 'analysis', mcp_tool: 'tool' } as const

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

/** Where a path leads to in a document. Keys are looked up and not searched for: a block may have 500 of them. */
function positions(root: unknown): (path: readonly PropertyKey[]) => number | undefined {
  const known = new Map<YAMLMap, ReadonlyMap<string, Pair>>()
  const pairsOf = (map: YAMLMap) => {
    const pairs =
      known.get(map) ??
      new Map(map.items.map(item => [String((item.key as { value?: unknown })?.value ?? item.key), item]))
    known.set(map, pairs)
    return pairs
  }
  return path => {
    let here = root
    let at = rangeOf(root)
    for (const part of path) {
      const pair = isMap(here) ? pairsOf(here).get(String(part)) : undefined
      if (!pair) break
      at = rangeOf(pair.key) ?? at
      here = pair.value
    }
    return at
  }
}

const rangeOf = (node: unknown): number | undefined => (node as { range?: [number] } | null)?.range?.[0]

/** The line stands beside it. */
function yamlFault({ code, message }: YAMLParseError): string {
  // The parser tells of its own stack.
  if (code === 'RESOURCE_EXHAUSTION') return 'The graph is nested too deeply here.'
  return `${(message.split('\n')[0] as string).replace(/\.$/, '')}.`
}
