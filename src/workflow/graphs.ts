import type { WorkflowId } from '../contract/ids.ts'
import { type Graph, parseGraph } from './graph.ts'
import type { Stored } from './store.ts'

/** Graphs that were read already: reading one of 500 tasks takes longer than saving a step of it. */
export class Graphs {
  readonly #most: number
  readonly #known = new Map<WorkflowId, { readonly source: string; readonly graph: Graph }>()

  constructor(most = 50) {
    this.#most = most
  }

  keep(id: WorkflowId, source: string, graph: Graph): void {
    this.#known.delete(id)
    this.#known.set(id, { source, graph })
    const [oldest] = this.#known.keys()
    if (this.#known.size > this.#most && oldest) this.#known.delete(oldest)
  }

  /** Null for a row that was edited into something that is no graph any more. */
  of({ workflow: { id, source } }: Pick<Stored, 'workflow'>): Graph | null {
    const known = this.#known.get(id)
    if (known?.source === source) return known.graph
    const parsed = parseGraph(source)
    if ('faults' in parsed) return null
    this.keep(id, source, parsed.graph)
    return parsed.graph
  }
}
