import type { Value } from './model.ts'

/**
 * The small syntax that Python, JavaScript and TypeScript are lowered to, so that scopes, folding and flow are written
 * once. It keeps what decides what a program does (names, members, calls, assignments, branches) and drops the rest:
 * types, decorum, the difference between a tuple and a list.
 */
export interface At {
  readonly start: number
  readonly end: number
}

export type Expression = At &
  (
    | { readonly kind: 'constant'; readonly value: Value }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'member'; readonly object: Expression; readonly property: string }
    | { readonly kind: 'index'; readonly object: Expression; readonly index: Expression }
    | { readonly kind: 'slice'; readonly object: Expression; readonly bounds: readonly (Expression | null)[] }
    | {
        readonly kind: 'call'
        readonly callee: Expression
        readonly args: readonly Argument[]
        readonly made: boolean
      }
    | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression }
    | { readonly kind: 'unary'; readonly operator: string; readonly operand: Expression }
    | { readonly kind: 'compare'; readonly operands: readonly Expression[] }
    | { readonly kind: 'template'; readonly parts: readonly (string | Expression)[] }
    | { readonly kind: 'list'; readonly items: readonly Argument[] }
    | { readonly kind: 'map'; readonly entries: readonly Entry[] }
    /** Conditional, `or`, `and`, `??`: `tests` are looked at, one of `options` is the value. */
    | { readonly kind: 'choice'; readonly tests: readonly Expression[]; readonly options: readonly Expression[] }
    | { readonly kind: 'function'; readonly fn: FunctionSyntax }
    | { readonly kind: 'class'; readonly cls: ClassSyntax }
    | {
        readonly kind: 'assign'
        readonly target: Expression
        readonly value: Expression
        /** `+` for `+=`; empty for a plain assignment. */
        readonly operator: string
        /** Bound in this scope, whatever outer scope knows the name. */
        readonly declares: boolean
      }
    | {
        readonly kind: 'comprehension'
        readonly loops: readonly Loop[]
        readonly body: readonly Expression[]
        readonly map: boolean
      }
    /** Looked at for what is inside; its own value is not known. */
    | { readonly kind: 'parts'; readonly parts: readonly Expression[] }
    /** Hands one value out of a generator; `all` when the value is the ones of another. */
    | { readonly kind: 'yield'; readonly value: Expression; readonly all: boolean }
    /** `await x`, `...x`, `yield x`: worth what is inside. */
    | { readonly kind: 'import-call'; readonly argument: Expression }
  )

export interface Argument {
  readonly name: string | null
  readonly value: Expression
  readonly spread: boolean
}

export interface Entry {
  /** Null for a spread. */
  readonly key: Expression | string | null
  readonly value: Expression
}

export interface Loop {
  readonly target: Expression
  readonly over: Expression
  readonly tests: readonly Expression[]
}

export type Statement = At &
  (
    | { readonly kind: 'expression'; readonly expression: Expression }
    | { readonly kind: 'docstring' }
    | { readonly kind: 'if'; readonly test: Expression | null; readonly consequence: Block; readonly otherwise: Block }
    | {
        readonly kind: 'loop'
        readonly before: Block
        readonly test: Expression | null
        readonly target: Expression | null
        readonly over: Expression | null
        readonly body: Block
        /** The test is always true and nothing inside leaves the loop. */
        readonly endless: boolean
      }
    | { readonly kind: 'try'; readonly body: Block; readonly handlers: readonly Handler[]; readonly finally: Block }
    | { readonly kind: 'block'; readonly body: Block }
    | { readonly kind: 'return'; readonly value: Expression | null }
    | { readonly kind: 'function'; readonly fn: FunctionSyntax; readonly decorators: readonly Expression[] }
    | { readonly kind: 'class'; readonly cls: ClassSyntax; readonly decorators: readonly Expression[] }
    | { readonly kind: 'import'; readonly module: string; readonly bindings: readonly Binding[] }
    | { readonly kind: 'assert'; readonly parts: readonly Expression[] }
    | { readonly kind: 'outer'; readonly names: readonly string[] }
    | { readonly kind: 'debugger' }
  )
export type Block = readonly Statement[]

export interface Handler extends At {
  readonly body: Block
  readonly name: string | null
  /** Swallows the failure without a word. */
  readonly silent: boolean
  readonly broad: boolean
}

export interface Binding {
  /** The name inside the module; empty for the whole module, `*` for everything in it. */
  readonly name: string
  readonly local: string
}

export interface FunctionSyntax extends At {
  readonly name: string
  readonly parameters: readonly Parameter[]
  readonly body: Block
}

export interface Parameter {
  readonly target: Expression
  readonly fallback: Expression | null
  readonly rest: boolean
}

export interface ClassSyntax extends At {
  readonly name: string
  readonly bases: readonly Expression[]
  readonly body: Block
}

/** What a lowering hands to the evaluation: the program, and what only the tree could tell. */
export interface Lowered {
  readonly body: Block
  readonly comments: readonly { readonly text: string; readonly start: number; readonly end: number }[]
  readonly complexity: number
  readonly problems: readonly { kind: 'syntax' | 'depth' | 'size'; message: string; start: number; end: number }[]
}
