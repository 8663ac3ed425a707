import type { Language } from '../../contract/run.ts'
import type { Call, Program, Span, Value } from '../model.ts'
import type { Surroundings } from './words.ts'

/** How a command stands in the script. */
export interface Standing {
  readonly at: Span
  /** What comes down the pipe or out of a redirection; undefined when nobody feeds it. */
  readonly input: Value | undefined
  /** `NAME=value` in front of the command. */
  readonly settings: ReadonlyMap<string, Value>
  readonly background: boolean
  /** Told of the call that a wrapped command comes down to, for pipelines and redirections. */
  readonly last: { call: Call | null }
}

/** A script while it is read: where facts are put down, and what is known so far. */
export interface Reading extends Surroundings {
  readonly program: Program
  /** Files that the script wrote itself, with what it wrote where that is known. */
  readonly written: Map<string, Value>
  wrote(path: string, target: Value): void
  readonly inLoop: boolean
  /** Where a piece of syntax stands in the script; for code in a string, where the string stands. */
  at(node: { readonly pos: number; readonly end: number }): Span
  /** Lists a call; an argument that may be one of several makes one call each. */
  emit(name: string, args: readonly Value[], standing: Standing, path?: string): Call
  /** Runs a command given as words, as if it stood here. */
  command(words: readonly Value[], standing: Standing): Value
  /**
   * Reads shell code from a string in the place where it is run, knowing what the script knows there. `sure` says that
   * a shell will read it, so that wrong syntax counts.
   */
  inline(code: Value, standing: Standing, sure?: boolean): Value
  /** Does work in a process of its own: what it changes of folder and variables is gone afterwards. */
  apart(work: () => void): void
  /** Hands code in another language to its own front end. */
  embed(language: Language, code: Value, via: string, standing: Standing): void
  /** Calls a function of the script and says what it prints; null when there is none of that name. */
  callFunction(name: string, args: readonly Value[], standing: Standing): Value | null
}

export const noSettings: ReadonlyMap<string, Value> = new Map()

/** The same place for a command inside the command, which is nobody's member of a pipeline. */
export const inside = (standing: Standing): Standing => ({ ...standing, last: { call: null } })
