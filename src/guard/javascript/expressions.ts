import { listOf } from '../lists.ts'
import { Lowering } from '../lowering.ts'
import type { Argument, Block, ClassSyntax, Entry, Expression, FunctionSyntax, Parameter } from '../syntax.ts'
import { childOf, childrenOf, type Node, none } from '../tree/tree.ts'
import { boolean, nothing, number, text } from '../values.ts'
import { unescapeJavaScript } from './strings.ts'

/** The expressions of JavaScript and TypeScript. */
export abstract class JavaScriptExpressions extends Lowering {
  /** The statements of a field that may be a block or a single statement. */
  protected abstract bodyOf(node: Node, field?: string): Block

  protected functionOf(node: Node): FunctionSyntax {
    const name = childOf(node, 'name')
    const single = childOf(node, 'parameter')
    const body = childOf(node, 'body')
    return this.inFunction(() => {
      const isBlock = body !== none && body.type === 'statement_block'
      const value = body === none || isBlock ? null : this.expression(body)
      return {
        name: name === none ? 'function' : this.key(name),
        parameters:
          single === none
            ? this.#parameters(childOf(node, 'parameters'))
            : [{ target: this.expression(single), fallback: null, rest: false }],
        body:
          value !== null
            ? [{ kind: 'return' as const, value, start: body.start, end: body.end }]
            : isBlock
              ? this.block(body)
              : [],
        start: node.start,
        end: node.end,
      }
    })
  }

  #parameters(node: Node): Parameter[] {
    if (node === none) return []
    return listOf(childrenOf(node), child => {
      const { type } = child
      if (type === 'required_parameter' || type === 'optional_parameter') {
        const pattern = childOf(child, 'pattern')
        return {
          target: pattern === none ? this.unknown(child) : this.expression(pattern),
          fallback: this.optional(child, 'value') ?? this.#asked(child),
          rest: pattern !== none && pattern.type === 'rest_pattern',
        }
      }
      if (type === 'assignment_pattern') {
        return { target: this.fieldOf(child, 'left'), fallback: this.optional(child, 'right'), rest: false }
      }
      return { target: this.expression(child), fallback: null, rest: type === 'rest_pattern' }
    })
  }

  /** `@Query('url') url`: the framework fills it with what a request says. */
  #asked(parameter: Node): Expression | null {
    const { first } = parameter
    if (first === none || first.type !== 'decorator') return null
    const { start, end } = first
    return fromRequest.test(this.tree.text(first)) ? { kind: 'name', name: 'req', start, end } : null
  }

  protected classOf(node: Node): ClassSyntax {
    const name = childOf(node, 'name')
    const heritage = childrenOf(node).find(child => child.type === 'class_heritage')
    let base = heritage === undefined ? none : heritage.first
    if (base !== none && base.type === 'extends_clause') base = childOf(base, 'value')
    return {
      name: name === none ? 'class' : this.tree.name(name),
      bases: base === none ? [] : [this.expression(base)],
      body: this.bodyOf(node),
      start: node.start,
      end: node.end,
    }
  }

  protected plain(node: Node): string {
    return unescapeJavaScript(this.tree.text(node).slice(1, -1))
  }

  /** The name of a property, method or import, quoted or not. */
  protected key(node: Node): string {
    return node.type === 'string' ? this.plain(node) : this.tree.name(node)
  }

  protected lowered(node: Node): Expression {
    const tree = this.tree
    const { start, end } = node
    switch (node.type) {
      case 'identifier':
      case 'shorthand_property_identifier':
      case 'shorthand_property_identifier_pattern':
      case 'this':
      case 'super':
      case 'undefined':
        return { kind: 'name', name: tree.name(node), start, end }
      case 'import':
        return { kind: 'name', name: 'import', start, end }
      case 'string':
        return { kind: 'constant', value: text(this.plain(node)), start, end }
      case 'number':
        return { kind: 'constant', value: number(Number(tree.text(node).replace(/[_n]/g, ''))), start, end }
      case 'true':
      case 'false':
        return { kind: 'constant', value: boolean(node.type === 'true'), start, end }
      case 'null':
        return { kind: 'constant', value: nothing, start, end }
      case 'template_string':
        return this.#template(node)
      case 'regex': {
        const callee: Expression = { kind: 'name', name: 'RegExp', start, end: start }
        const source = tree.text(node)
        const close = source.lastIndexOf('/')
        const args = [source.slice(1, close), source.slice(close + 1)].map(part => ({
          name: null,
          value: { kind: 'constant' as const, value: text(part), start, end },
          spread: false,
        }))
        return { kind: 'call', callee, args, made: true, start, end }
      }
      case 'parenthesized_expression':
      case 'sequence_expression': {
        const inner = this.all(node)
        const last = inner.at(-1)
        if (inner.length === 1 && last !== undefined) return last
        // `(0, eval)(x)`: worth its last part.
        return { kind: 'choice', tests: inner.slice(0, -1), options: last === undefined ? [] : [last], start, end }
      }
      case 'await_expression':
      case 'spread_element':
      case 'rest_pattern':
      case 'non_null_expression':
      case 'as_expression':
      case 'satisfies_expression':
      case 'computed_property_name':
      case 'template_substitution':
      case 'jsx_expression':
      case 'optional_parameter':
      case 'instantiation_expression': {
        const inner = node.first
        return inner === none ? this.unknown(node) : this.expression(inner)
      }
      case 'yield_expression': {
        const inner = node.first
        if (inner === none) return this.unknown(node)
        return { kind: 'yield', value: this.expression(inner), all: /^yield\s*\*/.test(tree.text(node)), start, end }
      }
      case 'type_assertion': {
        const inner = childrenOf(node).at(-1)
        return inner === undefined ? this.unknown(node) : this.expression(inner)
      }
      case 'member_expression': {
        const property = childOf(node, 'property')
        return {
          kind: 'member',
          object: this.fieldOf(node, 'object'),
          property: property === none ? '' : tree.name(property),
          start,
          end,
        }
      }
      case 'subscript_expression':
        return { kind: 'index', object: this.fieldOf(node, 'object'), index: this.fieldOf(node, 'index'), start, end }
      case 'call_expression':
      case 'new_expression': {
        const made = node.type === 'new_expression'
        const callee = this.fieldOf(node, made ? 'constructor' : 'function')
        const args = childOf(node, 'arguments')
        if (args !== none && args.type === 'template_string') {
          return {
            kind: 'call',
            callee,
            args: [{ name: null, value: this.expression(args), spread: false }],
            made,
            start,
            end,
          }
        }
        const found = args === none ? [] : this.#arguments(args)
        const [first] = found
        if (callee.kind === 'name' && callee.name === 'import' && first)
          return { kind: 'import-call', argument: first.value, start, end }
        return { kind: 'call', callee, args: found, made, start, end }
      }
      case 'binary_expression':
        return this.#binary(node)
      case 'unary_expression':
      case 'update_expression': {
        const operand = this.fieldOf(node, 'argument')
        const operator = tree.text(node).match(/^(typeof|void|delete|[!~+-]+)/)?.[0] ?? '++'
        return { kind: 'unary', operator, operand, start, end }
      }
      case 'ternary_expression': {
        this.decides()
        return {
          kind: 'choice',
          tests: [this.fieldOf(node, 'condition')],
          options: [this.fieldOf(node, 'consequence'), this.fieldOf(node, 'alternative')],
          start,
          end,
        }
      }
      case 'assignment_expression':
      case 'augmented_assignment_expression': {
        const left = childOf(node, 'left')
        const right = childOf(node, 'right')
        const operator =
          node.type === 'assignment_expression' ? '' : tree.source.slice(left.end, right.start).replace(/[\s=]/g, '')
        return {
          kind: 'assign',
          target: this.fieldOf(node, 'left'),
          value: this.fieldOf(node, 'right'),
          operator,
          declares: false,
          start,
          end,
        }
      }
      case 'assignment_pattern':
      case 'object_assignment_pattern':
        return {
          kind: 'choice',
          tests: [],
          options: [this.fieldOf(node, 'left'), this.fieldOf(node, 'right')],
          start,
          end,
        }
      case 'array':
      case 'array_pattern':
        return { kind: 'list', items: this.#arguments(node), start, end }
      case 'object':
      case 'object_pattern':
        return { kind: 'map', entries: this.#entries(node), start, end }
      case 'function_expression':
      case 'generator_function':
      case 'arrow_function':
        return { kind: 'function', fn: this.functionOf(node), start, end }
      case 'class':
        return { kind: 'class', cls: this.classOf(node), start, end }
      case 'jsx_element':
      case 'jsx_self_closing_element':
      case 'jsx_opening_element':
        return { kind: 'parts', parts: childrenOf(node).flatMap(child => this.#jsx(child)), start, end }
      default:
        return { kind: 'parts', parts: this.all(node), start, end }
    }
  }

  #jsx(node: Node): Expression[] {
    switch (node.type) {
      case 'jsx_attribute': {
        const [name, value] = childrenOf(node)
        if (name === undefined || value === undefined) return []
        const target: Expression = {
          kind: 'name',
          name: `jsx.${this.tree.text(name)}`,
          start: name.start,
          end: name.end,
        }
        return [
          {
            kind: 'assign',
            target,
            value: this.expression(value),
            operator: '',
            declares: false,
            start: node.start,
            end: node.end,
          },
        ]
      }
      case 'jsx_text':
      case 'identifier':
      case 'jsx_closing_element':
      case 'jsx_namespace_name':
        return []
      default:
        return [this.expression(node)]
    }
  }

  #template(node: Node): Expression {
    const { start, end } = node
    const source = this.tree.text(node)
    const parts: (string | Expression)[] = []
    let from = 1
    for (const child of childrenOf(node)) {
      if (child.type !== 'template_substitution') continue
      parts.push(unescapeJavaScript(source.slice(from, child.start - start)))
      parts.push(this.expression(child))
      from = child.end - start
    }
    parts.push(unescapeJavaScript(source.slice(from, Math.max(from, source.length - 1))))
    return { kind: 'template', parts, start, end }
  }

  #binary(node: Node): Expression {
    const { tree } = this
    return this.leftToRight(node, (left, operation, right) => {
      const { start, end } = operation
      const value = this.expression(right)
      const operator = tree.source
        .slice(childOf(operation, 'left').end, right.start)
        .replace(/\s|\/\/.*|\/\*[\s\S]*?\*\//g, '')
      if (comparing.has(operator)) return { kind: 'compare', operands: [left, value], start, end }
      if (operator !== '&&' && operator !== '||' && operator !== '??')
        return { kind: 'binary', operator, left, right: value, start, end }
      this.decides()
      const both = operator === '&&'
      return { kind: 'choice', tests: both ? [left] : [], options: both ? [value] : [left, value], start, end }
    })
  }

  #arguments(node: Node): Argument[] {
    return listOf(childrenOf(node), child => {
      const { type } = child
      return { name: null, value: this.expression(child), spread: type === 'spread_element' || type === 'rest_pattern' }
    })
  }

  #entries(node: Node): Entry[] {
    const found: Entry[] = []
    for (const child of childrenOf(node)) {
      const entry = this.#entry(child)
      if (entry !== null) found.push(entry)
    }
    return found
  }

  #entry(node: Node): Entry | null {
    switch (node.type) {
      case 'pair':
      case 'pair_pattern': {
        const key = childOf(node, 'key')
        const computed = key !== none && key.type === 'computed_property_name'
        return {
          key: computed ? this.expression(key) : key === none ? '' : this.key(key),
          value: this.fieldOf(node, 'value'),
        }
      }
      case 'shorthand_property_identifier':
      case 'shorthand_property_identifier_pattern':
        return { key: this.tree.name(node), value: this.expression(node) }
      case 'object_assignment_pattern':
        return { key: this.tree.name(childOf(node, 'left')), value: this.expression(node) }
      case 'method_definition': {
        const fn = this.functionOf(node)
        const name = childOf(node, 'name')
        const key = name.type === 'computed_property_name' ? this.expression(name) : fn.name
        return { key, value: { kind: 'function', fn, start: node.start, end: node.end } }
      }
      case 'spread_element':
      case 'rest_pattern':
        return { key: null, value: this.expression(node) }
      default:
        return null
    }
  }
}

const comparing = new Set(['==', '===', '!=', '!==', '<', '>', '<=', '>=', 'in', 'instanceof'])

const fromRequest = /^@(Query|Body|Param|Params|Headers|HeaderParam|QueryParam|Cookies|UploadedFiles?)\(/
