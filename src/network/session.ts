import type { NetworkRequest } from '../contract/network.ts'
import type { Connection } from './connection.ts'
import { judge, type Rule } from './rules.ts'
import { Turns } from './turns.ts'

/** Whoever shares one set of rules: a sandbox during a run. Without rules everything is refused, and logged. */
export class Session {
  /** A name server that never answers holds a thread for each question. There are 64 for everybody, see `gate.ts`. */
  readonly lookups = new Turns(16)
  readonly #onLog: (entry: NetworkRequest) => void
  readonly #open = new Set<Connection>()
  #rules: readonly Rule[]

  constructor(rules: readonly Rule[], onLog: (entry: NetworkRequest) => void) {
    this.#rules = rules
    this.#onLog = onLog
  }

  get rules(): readonly Rule[] {
    return this.#rules
  }

  get size(): number {
    return this.#open.size
  }

  /** Other rules from now on; what they no longer cover is cut off, also in the middle. */
  change(rules: readonly Rule[]): void {
    this.#rules = rules
    for (const connection of [...this.#open]) {
      if (connection.wanted && !judge(rules, connection.wanted).allowed) connection.takeBack()
    }
  }

  /** The run is over: nothing is granted any more, and what is open was merely not closed yet. */
  rest(): void {
    this.#rules = []
    for (const connection of [...this.#open]) connection.end()
  }

  log(entry: NetworkRequest): void {
    this.#onLog(entry)
  }

  add(connection: Connection): void {
    this.#open.add(connection)
  }

  remove(connection: Connection): void {
    this.#open.delete(connection)
  }
}
