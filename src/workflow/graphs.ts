import type { WorkflowId } from '../contract/ids.ts'
import { type Graph, parseGraph } from './graph.ts'
import type { Stored } from './store.ts'

/**
 * Graphs that were read already: reading one of 500 tasks takes longer than saving a step of it. The graph of a workflow
 * never changes.
 */
export class Graphs {
  readonly #most: number
  readonly #kept: (id: WorkflowId) => Promise<Graph | null>
  readonly #known = new Map<WorkflowId, Graph>()

  /** `kept`: as it was stored when its workflow was started, which a text need not be read for. */
  constructor(kept: (id: WorkflowId) => Promise<Graph | null>, most = 50) {
    this.#kept = kept
    this.#most = most
  }

  keep(id: WorkflowId, graph: Graph): void {
    this.#known.delete(id)
    this.#known.set(id, graph)
    const [oldest] = this.#known.keys()
    if (this.#known.size > this.#most && oldest) this.#known.delete(oldest)
  }

  /** Null where only the text is left, and it was edited into something that is no graph any more. */
  async of({ workflow: { id, source } }: Pick<Stored, 'workflow'>): Promise<Graph | null> {
    const known = this.#known.get(id) ?? (await this.#kept(id))
    if (known) {
      this.keep(id, known)
      return known
    }
    const parsed = parseGraph(source)
    if ('faults' in parsed) return null
    this.keep(id, parsed.graph)
    return parsed.graph
  }
}

/** A graph as it is stored. */
export const graphText = ({ spec, layers, needs, placements, inputLines }: Graph): string =>
  JSON.stringify({ spec, layers, needs: [...needs], placements: [...placements], inputLines: [...inputLines] })

export function graphIn(text: string): Graph {
  const { needs, placements, inputLines, ...rest } = JSON.parse(text)
  return { ...rest, needs: new Map(needs), placements: new Map(placements), inputLines: new Map(inputLines) }
}
