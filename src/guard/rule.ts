import type { ViolationType } from '../contract/inspection.ts'
import type { Language, RiskLevel } from '../contract/run.ts'
import type { Effect, EffectKind } from './effect.ts'
import type { Assignment, Call, Import, Mark, Pipeline, Program, Redirection, Span, Text } from './model.ts'

/**
 * A rule is data: what it looks for, how bad that is, why, and what to do instead; its examples are its tests.
 * A severity of `low` is a remark: it is shown to the reader and does not raise the level of a program.
 */
export interface Rule {
  /** `area/what`, for good: policies, audit entries and documentation refer to it. */
  readonly id: string
  readonly languages: readonly Language[]
  readonly type: ViolationType
  readonly severity: RiskLevel
  readonly cwe?: `CWE-${number}`
  /** One sentence: what the code does and why that matters. */
  readonly description: string
  readonly recommendation: string
  /** What a program that breaks this rule touches, in the words of the impact assessment. */
  readonly implies: readonly (EffectKind | 'privilege' | 'persistence' | 'secrets' | 'resources')[]
  readonly match: Match
  readonly examples: {
    readonly bad: readonly [Example, ...Example[]]
    readonly good: readonly [Example, ...Example[]]
  }
}

/** Code in the first language of the rule, or in the one that is named. */
export type Example = string | { readonly language: Language; readonly code: string }

/** What a rule sees besides the fact it matched. */
export interface Scene {
  readonly program: Program
  readonly effects: readonly Effect[]
  /** 0 for the program itself, 1 and more for code inside its strings. */
  readonly depth: number
}

/** False: no match. True: the rule as it stands. A hit may say more, and may move the severity or the place. */
export type Answer = boolean | Hit
export interface Hit {
  readonly severity?: RiskLevel
  /** Replaces the rule's description. */
  readonly message?: string
  readonly at?: Span
}

export type Match =
  /** `names`: `os.system`, `*.execute` (a method of anything), `shutil.*` (anything under it). Shell: command names. */
  | { readonly on: 'call'; readonly names: readonly string[]; readonly when?: (call: Call, scene: Scene) => Answer }
  | {
      readonly on: 'effect'
      readonly kinds: readonly EffectKind[]
      readonly when: (effect: Effect, scene: Scene) => Answer
    }
  | {
      readonly on: 'assignment'
      /** Which targets it is about; asked once for each name that programs use. */
      readonly about?: (target: string) => boolean
      readonly when?: (assignment: Assignment, scene: Scene) => Answer
    }
  | { readonly on: 'text'; readonly when: (text: Text, scene: Scene) => Answer }
  | {
      readonly on: 'import'
      readonly modules: readonly string[]
      readonly when?: (imported: Import, scene: Scene) => Answer
    }
  | {
      readonly on: 'mark'
      readonly kinds: readonly Mark['kind'][]
      readonly when?: (mark: Mark, scene: Scene) => Answer
    }
  | { readonly on: 'pipeline'; readonly when: (pipeline: Pipeline, scene: Scene) => Answer }
  | { readonly on: 'redirection'; readonly when: (redirection: Redirection, scene: Scene) => Answer }
  /** For what needs all commands of some kind at once; each hit names its place in `at`. Not asked where there are none. */
  | {
      readonly on: 'calls'
      /** Which names it is about; asked once for each name that programs use. */
      readonly about: (name: string) => boolean
      readonly find: (calls: readonly Call[], scene: Scene) => readonly Hit[]
    }
  /** For what needs the whole program at once; each hit names its place in `at`. */
  | { readonly on: 'program'; readonly find: (scene: Scene) => readonly Hit[] }
