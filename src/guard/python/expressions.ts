import { listOf } from '../lists.ts'
import { Lowering } from '../lowering.ts'
import type { Argument, Entry, Expression, FunctionSyntax, Loop, Parameter } from '../syntax.ts'
import { childOf, childrenOf, type Node, none, type Tree } from '../tree/tree.ts'
import { boolean, nothing, number, text } from '../values.ts'
import { parsePython } from './parse.ts'
import { literalShape, unescapePython } from './strings.ts'

/** The expressions of Python. */
export abstract class PythonExpressions extends Lowering {
  protected parameters(node: Node): Parameter[] {
    const parameters: Parameter[] = []
    if (node === none) return parameters
    for (const child of childrenOf(node)) {
      const { type } = child
      const name = type === 'identifier' ? child : childOf(child, 'name')
      const named = name !== none ? name : child.first
      if (named === none || type === 'keyword_separator' || type === 'positional_separator') continue
      const bare = this.tree.name(named).replace(/^\*+/, '')
      parameters.push({
        target: { kind: 'name', name: bare, start: named.start, end: named.end },
        fallback: this.optional(child, 'value'),
        rest: this.tree.text(child).startsWith('*'),
      })
    }
    return parameters
  }

  /** A type is an expression that runs. It is read when it calls something, which hardly any does. */
  protected called(type: Node): Expression[] {
    if (type === none) return []
    const written = this.tree.text(type)
    if (!/[\w\])]\s*\(/.test(written)) return []
    const tree = parsePython(this.tree.source.slice(0, type.end), type.start)
    const statement = tree === null ? none : tree.root.first
    const inner = tree === null || statement === none ? none : statement.first
    if (tree !== null && inner !== none) return [this.within(tree, inner)]
    const { start, end } = type
    const code: Expression = { kind: 'constant', value: text(written), start, end }
    return [
      {
        kind: 'call',
        callee: { kind: 'name', name: 'eval', start, end },
        args: [{ name: null, value: code, spread: false }],
        made: false,
        start,
        end,
      },
    ]
  }

  /** An expression of another tree over the same text. */
  protected abstract within(tree: Tree, node: Node): Expression

  protected lowered(node: Node): Expression {
    const tree = this.tree
    const { start, end } = node
    switch (node.type) {
      case 'identifier':
      case 'dotted_name':
        return { kind: 'name', name: tree.name(node), start, end }
      case 'string':
        return this.#string(node)
      case 'concatenated_string':
        return { kind: 'template', parts: this.all(node), start, end }
      case 'integer':
      case 'float':
        return { kind: 'constant', value: number(numberOf(tree.text(node))), start, end }
      case 'true':
      case 'false':
        return { kind: 'constant', value: boolean(node.type === 'true'), start, end }
      case 'none':
        return { kind: 'constant', value: nothing, start, end }
      case 'parenthesized_expression':
      case 'await':
      case 'list_splat':
      case 'list_splat_pattern':
      case 'dictionary_splat':
      case 'with_item':
      case 'case_pattern':
      case 'as_pattern_target':
      case 'generator_expression_argument': {
        const inner = node.first
        return inner === none ? this.unknown(node) : this.expression(inner)
      }
      case 'yield': {
        const inner = node.first
        if (inner === none) return this.unknown(node)
        return {
          kind: 'yield',
          value: this.expression(inner),
          all: /^yield\s+from\b/.test(tree.text(node)),
          start,
          end,
        }
      }
      case 'interpolation': {
        // `f'{x:{width}}'`: the width is looked at too, the value is that of `x`.
        const [value, ...format] = this.all(node)
        if (value === undefined) return this.unknown(node)
        return format.length === 0 ? value : { kind: 'choice', tests: format, options: [value], start, end }
      }
      case 'attribute': {
        const property = childOf(node, 'attribute')
        return {
          kind: 'member',
          object: this.fieldOf(node, 'object'),
          property: property === none ? '' : tree.name(property),
          start,
          end,
        }
      }
      case 'subscript':
        return this.#subscript(node)
      case 'call': {
        const args = childOf(node, 'arguments')
        const callee = this.fieldOf(node, 'function')
        if (args !== none && args.type === 'generator_expression') {
          return {
            kind: 'call',
            callee,
            args: [{ name: null, value: this.expression(args), spread: false }],
            made: false,
            start,
            end,
          }
        }
        return { kind: 'call', callee, args: args === none ? [] : this.argumentsOf(args), made: false, start, end }
      }
      case 'binary_operator':
        return this.#binary(node)
      case 'boolean_operator': {
        this.decides()
        return {
          kind: 'choice',
          tests: [],
          options: [this.fieldOf(node, 'left'), this.fieldOf(node, 'right')],
          start,
          end,
        }
      }
      case 'unary_operator':
        return {
          kind: 'unary',
          operator: tree.source[start] ?? '-',
          operand: this.fieldOf(node, 'argument'),
          start,
          end,
        }
      case 'not_operator':
        return { kind: 'parts', parts: this.all(node), start, end }
      case 'comparison_operator':
        return { kind: 'compare', operands: this.all(node), start, end }
      case 'conditional_expression': {
        this.decides()
        const [then, test, otherwise] = this.all(node)
        const options = [then, otherwise].filter(option => option !== undefined)
        return { kind: 'choice', tests: test === undefined ? [] : [test], options, start, end }
      }
      case 'named_expression':
        return {
          kind: 'assign',
          target: this.fieldOf(node, 'name'),
          value: this.fieldOf(node, 'value'),
          operator: '',
          declares: false,
          start,
          end,
        }
      case 'assignment': {
        const value = this.optional(node, 'right')
        const target = this.fieldOf(node, 'left')
        const type = this.called(childOf(node, 'type'))
        if (value === null) return { kind: 'parts', parts: type, start, end }
        const assigned: Expression = { kind: 'assign', target, value, operator: '', declares: false, start, end }
        return type.length === 0 ? assigned : { kind: 'choice', tests: type, options: [assigned], start, end }
      }
      case 'augmented_assignment': {
        const operator = tree.source.slice(childOf(node, 'left').end, childOf(node, 'right').start)
        return {
          kind: 'assign',
          target: this.fieldOf(node, 'left'),
          value: this.fieldOf(node, 'right'),
          operator: operator.replace(/[\s=]/g, ''),
          declares: false,
          start,
          end,
        }
      }
      case 'as_pattern': {
        const [value, target] = this.all(node)
        if (value === undefined || target === undefined) return this.unknown(node)
        return { kind: 'assign', target, value, operator: '', declares: false, start, end }
      }
      case 'list':
      case 'tuple':
      case 'set':
      case 'expression_list':
      case 'pattern_list':
      case 'tuple_pattern':
      case 'list_pattern':
        return { kind: 'list', items: this.argumentsOf(node), start, end }
      case 'dictionary':
        return { kind: 'map', entries: this.#entries(node), start, end }
      case 'list_comprehension':
      case 'set_comprehension':
      case 'generator_expression':
      case 'dictionary_comprehension':
        return this.#comprehension(node)
      case 'lambda':
        return { kind: 'function', fn: this.#lambda(node), start, end }
      case 'pair':
        return { kind: 'parts', parts: this.all(node), start, end }
      case 'ellipsis':
        return this.unknown(node)
      default:
        return { kind: 'parts', parts: this.all(node), start, end }
    }
  }

  #string(node: Node): Expression {
    const source = this.tree.text(node)
    const shape = literalShape(source)
    const { start, end } = node
    const decode = (from: number, to: number): string => {
      const piece = source.slice(from, to)
      return shape.raw ? piece : unescapePython(piece)
    }
    if (!shape.formatted) return { kind: 'constant', value: text(decode(shape.open, shape.close)), start, end }
    const parts: (string | Expression)[] = []
    let from = shape.open
    for (const child of childrenOf(node)) {
      if (child.type !== 'interpolation') continue
      parts.push(
        decode(from, child.start - start)
          .replace(/\{\{/g, '{')
          .replace(/\}\}/g, '}'),
      )
      parts.push(this.expression(child))
      from = child.end - start
    }
    parts.push(decode(from, shape.close).replace(/\{\{/g, '{').replace(/\}\}/g, '}'))
    return { kind: 'template', parts, start, end }
  }

  #subscript(node: Node): Expression {
    const { start, end } = node
    const object = this.fieldOf(node, 'value')
    const index = childrenOf(node).find(child => child.field === 'subscript')
    if (index === undefined) return object
    if (index.type !== 'slice') return { kind: 'index', object, index: this.expression(index), start, end }
    // `a[1::2]`: the tree lists only what is written, so the colons say which bound is which.
    const bounds: (Expression | null)[] = [null, null, null]
    for (const child of childrenOf(index)) {
      const colons = this.tree.source.slice(index.start, child.start).split(':').length - 1
      if (colons < 3) bounds[colons] = this.expression(child)
    }
    return { kind: 'slice', object, bounds, start, end }
  }

  #binary(node: Node): Expression {
    const { tree } = this
    return this.leftToRight(node, (left, operation, right) => ({
      kind: 'binary',
      operator: tree.source.slice(left.end, right.start).replace(/[\s()\\]|#.*/g, ''),
      left,
      right: this.expression(right),
      start: operation.start,
      end: operation.end,
    }))
  }

  protected argumentsOf(node: Node): Argument[] {
    const found: Argument[] = []
    for (const child of childrenOf(node)) {
      const { type } = child
      if (type === 'keyword_argument') {
        found.push({
          name: this.tree.name(childOf(child, 'name')),
          value: this.fieldOf(child, 'value'),
          spread: false,
        })
      } else if (type === 'dictionary_splat') found.push({ name: '**', value: this.expression(child), spread: true })
      else
        found.push({
          name: null,
          value: this.expression(child),
          spread: type === 'list_splat' || type === 'list_splat_pattern',
        })
    }
    return found
  }

  #entries(node: Node): Entry[] {
    return listOf(childrenOf(node), child =>
      child.type === 'pair'
        ? { key: this.fieldOf(child, 'key'), value: this.fieldOf(child, 'value') }
        : { key: null, value: this.expression(child) },
    )
  }

  #comprehension(node: Node): Expression {
    const loops: { target: Expression; over: Expression; tests: Expression[] }[] = []
    const body: Expression[] = []
    for (const child of childrenOf(node)) {
      const { type } = child
      if (type === 'for_in_clause') {
        this.decides()
        loops.push({ target: this.fieldOf(child, 'left'), over: this.fieldOf(child, 'right'), tests: [] })
      } else if (type === 'if_clause') {
        this.decides()
        loops.at(-1)?.tests.push(...this.all(child))
      } else if (type === 'pair') body.push(this.fieldOf(child, 'key'), this.fieldOf(child, 'value'))
      else body.push(this.expression(child))
    }
    const done: readonly Loop[] = loops
    return {
      kind: 'comprehension',
      loops: done,
      body,
      map: node.type === 'dictionary_comprehension',
      start: node.start,
      end: node.end,
    }
  }

  #lambda(node: Node): FunctionSyntax {
    const value = this.fieldOf(node, 'body')
    return {
      name: 'lambda',
      parameters: this.parameters(childOf(node, 'parameters')),
      body: [{ kind: 'return', value, start: node.start, end: node.end }],
      start: node.start,
      end: node.end,
    }
  }
}

function numberOf(source: string): number {
  const clean = source.replace(/[_jJlL]/g, '')
  return /^0[0-7]+$/.test(clean) ? Number.parseInt(clean, 8) : Number(clean)
}
