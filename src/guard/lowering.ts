import { listOf } from './lists.ts'
import type { Program } from './model.ts'
import type { At, Block, Expression, Lowered, Statement } from './syntax.ts'
import { childOf, childrenOf, type Node, nodeOf, none, type Tree } from './tree/tree.ts'
import { unknown } from './values.ts'

/** What the lowerings of all tree-sitter languages share: a depth cap, the count of decisions, the list of problems. */
export abstract class Lowering {
  readonly tree: Tree
  readonly problems: Lowered['problems'][number][] = []
  /** Decisions of the open functions, innermost last; the file itself is the first. */
  readonly #decisions: number[] = [1]
  #worst = 1
  #depth = 0

  constructor(tree: Tree) {
    this.tree = tree
    if (tree.hasError) this.#listErrors()
  }

  /** The expression of a node in the language at hand. */
  protected abstract lowered(node: Node): Expression
  protected abstract statement(node: Node, into: Statement[]): void

  /** The whole tree. */
  lower(): Lowered {
    const { tree, problems } = this
    const body = tree.root === none ? [] : this.block(tree.root)
    return { body, comments: [], complexity: this.#complexity, problems }
  }

  block(node: Node): Block {
    const statements: Statement[] = []
    if (!this.enter(node)) return statements
    for (let child = node.first; child !== none; child = child.next) {
      this.statement(child, statements)
    }
    this.leave()
    return statements
  }

  expression(node: Node): Expression {
    if (!this.enter(node)) return this.unknown(node)
    const lowered = this.lowered(node)
    this.leave()
    return lowered
  }

  protected optional(node: Node, field: string): Expression | null {
    const found = childOf(node, field)
    return found === none ? null : this.expression(found)
  }

  protected fieldOf(node: Node, field: string): Expression {
    return this.optional(node, field) ?? this.unknown(node)
  }

  protected all(node: Node): Expression[] {
    return listOf(childrenOf(node), child => this.expression(child))
  }

  /** Long sums are nested to the left, one level per term: walked in a loop, so that they cost no stack. */
  protected leftToRight(node: Node, join: (left: Expression, operation: Node, right: Node) => Expression): Expression {
    const type = node.type
    const spine: Node[] = []
    let left = node
    for (; left !== none && left.type === type; left = childOf(left, 'left')) spine.push(left)
    let result = left === none ? this.unknown(node) : this.expression(left)
    for (let level = spine.length - 1; level >= 0; level--) {
      const operation = spine[level] ?? node
      const right = childOf(operation, 'right')
      if (right !== none) result = join(result, operation, right)
    }
    return result
  }

  get #complexity(): number {
    return Math.max(this.#worst, this.#decisions[0] ?? 1)
  }

  decides(times = 1): void {
    const open = this.#decisions.length - 1
    this.#decisions[open] = (this.#decisions[open] ?? 1) + times
  }

  /** Runs `inside` with a count of its own, as each function has. */
  inFunction<T>(inside: () => T): T {
    this.#decisions.push(1)
    const result = inside()
    this.#worst = Math.max(this.#worst, this.#decisions.pop() ?? 1)
    return result
  }

  /** Guards the stack: false when the code is nested deeper than the cap; it is then not read, and that is said. */
  enter(node: Node): boolean {
    if (this.#depth <= deepest) {
      this.#depth++
      return true
    }
    if (!this.problems.some(problem => problem.kind === 'depth')) {
      this.problems.push({ kind: 'depth', message: 'The code is nested too deeply to be read.', ...this.at(node) })
    }
    return false
  }

  leave(): void {
    this.#depth--
  }

  unknown(node: Node): Expression {
    return { kind: 'constant', value: unknown, start: node.start, end: node.end }
  }

  at(node: Node): At {
    return { start: node.start, end: node.end }
  }

  /** All nodes below `node`, in source order. */
  *below(node: Node): Iterable<Node> {
    const open: Node[] = []
    for (let at = node.first; at !== none; ) {
      yield at
      const after = at.next
      if (after !== none) open.push(after)
      const inside = at.first
      at = inside === none ? (open.pop() ?? none) : inside
    }
  }

  #listErrors(): void {
    for (const node of this.below(nodeOf('', 0, 0, this.tree.root))) {
      if (this.problems.length >= 20) break
      if (node.type !== 'ERROR') continue
      this.problems.push({ kind: 'syntax', message: 'This is not valid here.', ...this.at(node) })
    }
    if (this.problems.length === 0) {
      this.problems.push({
        kind: 'syntax',
        message: 'Something is missing here.',
        ...this.at(this.tree.root),
      })
    }
  }
}

/** Says of the names that were read from other letters or escapes what they are. */
export function markDisguised(tree: Tree, program: Program): void {
  for (const node of tree.disguised) {
    const { start, end } = node
    program.marks.push({ kind: 'disguised-name', detail: tree.spelling?.(tree.text(node)) ?? '', start, end })
  }
}

/** Deep enough for any code that a person wrote; a recursion this deep stays far below the stack of a thread. */
export const deepest = 400
