import type { Binding, Block, Entry, Expression, Lowered, Statement } from '../syntax.ts'
import { childOf, childrenOf, type Node, none, type Tree } from '../tree/tree.ts'
import { JavaScriptExpressions } from './expressions.ts'

export function lowerJavaScript(tree: Tree): Lowered {
  return new JavaScriptStatements(tree).lower()
}

/** The statements of JavaScript and TypeScript. */
class JavaScriptStatements extends JavaScriptExpressions {
  /** The statements of a field that may be a block or a single statement. */
  protected bodyOf(node: Node, field = 'body'): Block {
    const body = childOf(node, field)
    if (body === none) return []
    if (body.type === 'statement_block' || body.type === 'class_body') return this.block(body)
    const statements: Statement[] = []
    if (!this.enter(body)) return statements
    this.statement(body, statements)
    this.leave()
    return statements
  }

  protected statement(node: Node, into: Statement[]): void {
    const tree = this.tree
    const { start, end } = node
    switch (node.type) {
      case 'expression_statement': {
        for (const child of childrenOf(node)) {
          if (child.type === 'string') into.push({ kind: 'docstring', start, end })
          else into.push({ kind: 'expression', expression: this.expression(child), start, end })
        }
        return
      }
      case 'lexical_declaration':
      case 'variable_declaration':
      case 'using_declaration':
        for (const child of childrenOf(node)) this.#declarator(child, into)
        return
      case 'if_statement': {
        this.decides()
        const alternative = childOf(node, 'alternative')
        into.push({
          kind: 'if',
          test: this.optional(node, 'condition'),
          consequence: this.bodyOf(node, 'consequence'),
          otherwise: alternative === none ? [] : this.block(alternative),
          start,
          end,
        })
        return
      }
      case 'for_statement':
      case 'while_statement':
      case 'do_statement': {
        this.decides()
        const condition = childOf(node, 'condition')
        const initial = childOf(node, 'initializer')
        const before: Statement[] = []
        if (initial !== none) this.statement(initial, before)
        const increment = this.optional(node, 'increment')
        const test = condition === none ? '' : tree.text(condition)
        into.push({
          kind: 'loop',
          before,
          test: condition === none ? null : this.expression(condition),
          target: null,
          over: null,
          body:
            increment === null
              ? this.bodyOf(node)
              : [...this.bodyOf(node), { kind: 'expression', expression: increment, start, end }],
          endless: /^[(\s]*(true|1|!0|!!1|)[;)\s]*$/.test(test) && !this.#leaves(node),
          start,
          end,
        })
        return
      }
      case 'for_in_statement':
        this.decides()
        into.push({
          kind: 'loop',
          before: [],
          test: null,
          target: this.optional(node, 'left'),
          over: this.optional(node, 'right'),
          body: this.bodyOf(node),
          endless: false,
          start,
          end,
        })
        return
      case 'try_statement': {
        const handler = childOf(node, 'handler')
        const finalizer = childOf(node, 'finalizer')
        const caught = handler === none ? none : childOf(handler, 'parameter')
        if (handler !== none) this.decides()
        into.push({
          kind: 'try',
          body: this.bodyOf(node),
          handlers:
            handler === none
              ? []
              : [
                  {
                    body: this.bodyOf(handler),
                    name: caught === none ? null : tree.name(caught),
                    silent: childOf(handler, 'body').first === none,
                    broad: true,
                    start: handler.start,
                    end: handler.end,
                  },
                ],
          finally: finalizer === none ? [] : this.bodyOf(finalizer),
          start,
          end,
        })
        return
      }
      case 'switch_statement':
        into.push({ kind: 'expression', expression: this.fieldOf(node, 'value'), start, end })
        for (const clause of childrenOf(childOf(node, 'body'))) {
          if (clause.type === 'switch_case') this.decides()
          const consequence: Statement[] = []
          for (const child of childrenOf(clause)) if (child.field === 'body') this.statement(child, consequence)
          into.push({
            kind: 'if',
            test: this.optional(clause, 'value'),
            consequence,
            otherwise: [],
            start: clause.start,
            end: clause.end,
          })
        }
        return
      case 'return_statement':
      case 'throw_statement': {
        const value = node.first
        const expression = value === none ? null : this.expression(value)
        if (node.type === 'return_statement') into.push({ kind: 'return', value: expression, start, end })
        else if (expression !== null) into.push({ kind: 'expression', expression, start, end })
        return
      }
      case 'function_declaration':
      case 'generator_function_declaration':
        into.push({ kind: 'function', fn: this.functionOf(node), decorators: [], start, end })
        return
      case 'class_declaration':
      case 'abstract_class_declaration':
        into.push({ kind: 'class', cls: this.classOf(node), decorators: [], start, end })
        return
      case 'import_statement':
        this.#import(node, into)
        return
      case 'import_alias':
        return
      case 'export_statement': {
        const source = childOf(node, 'source')
        if (source !== none) {
          into.push({ kind: 'import', module: this.plain(source), bindings: [], start, end })
          return
        }
        for (const child of childrenOf(node)) {
          if (child.type !== 'export_clause') this.statement(child, into)
        }
        return
      }
      case 'enum_declaration': {
        const entries: Entry[] = []
        for (const child of childrenOf(childOf(node, 'body'))) {
          if (child.type === 'enum_assignment') {
            entries.push({ key: tree.name(childOf(child, 'name')), value: this.fieldOf(child, 'value') })
          }
        }
        const target: Expression = { kind: 'name', name: tree.name(childOf(node, 'name')), start, end }
        const value: Expression = { kind: 'map', entries, start, end }
        into.push({
          kind: 'expression',
          expression: { kind: 'assign', target, value, operator: '', declares: true, start, end },
          start,
          end,
        })
        return
      }
      case 'labeled_statement':
        into.push({ kind: 'block', body: this.bodyOf(node), start, end })
        return
      case 'statement_block':
      case 'else_clause':
      case 'internal_module':
      case 'module':
      case 'ambient_declaration':
      case 'class_static_block':
      case 'ERROR':
        into.push({
          kind: 'block',
          body: node.type === 'internal_module' || node.type === 'module' ? this.bodyOf(node) : this.block(node),
          start,
          end,
        })
        return
      case 'debugger_statement':
        into.push({ kind: 'debugger', start, end })
        return
      case 'field_definition':
      case 'public_field_definition': {
        const value = this.optional(node, 'value')
        const name = childOf(node, 'name') === none ? childOf(node, 'property') : childOf(node, 'name')
        this.#computed(name, into)
        if (value === null || name === none) return
        const target: Expression = {
          kind: 'name',
          name: this.key(name),
          start: name.start,
          end: name.end,
        }
        into.push({
          kind: 'expression',
          expression: { kind: 'assign', target, value, operator: '', declares: true, start, end },
          start,
          end,
        })
        return
      }
      case 'method_definition':
        this.#computed(childOf(node, 'name'), into)
        into.push({ kind: 'function', fn: this.functionOf(node), decorators: [], start, end })
        return
      case 'break_statement':
      case 'continue_statement':
      case 'empty_statement':
        return
      default:
        into.push({ kind: 'expression', expression: this.expression(node), start, end })
    }
  }

  /** `class A { [f()] = 1 }`: the name of a member is worked out when the class is made. */
  #computed(name: Node, into: Statement[]): void {
    if (name.type !== 'computed_property_name') return
    const { start, end } = name
    into.push({ kind: 'expression', expression: this.expression(name), start, end })
  }

  #declarator(node: Node, into: Statement[]): void {
    if (node.type !== 'variable_declarator') return
    const value = this.optional(node, 'value')
    if (value === null) return
    const { start, end } = node
    const target = this.fieldOf(node, 'name')
    into.push({
      kind: 'expression',
      expression: { kind: 'assign', target, value, operator: '', declares: true, start, end },
      start,
      end,
    })
  }

  #import(node: Node, into: Statement[]): void {
    const tree = this.tree
    const { start, end } = node
    if (/^import\s+type\b/.test(tree.text(node))) return
    const bindings: Binding[] = []
    let source = childOf(node, 'source')
    for (const clause of childrenOf(node)) {
      if (clause.type === 'import_require_clause') {
        source = childOf(clause, 'source')
        const local = clause.first
        if (local !== none) bindings.push({ name: '', local: tree.name(local) })
      }
      if (clause.type !== 'import_clause') continue
      for (const child of childrenOf(clause)) {
        const { type } = child
        if (type === 'identifier') bindings.push({ name: 'default', local: tree.name(child) })
        else if (type === 'namespace_import') {
          const local = child.first
          if (local !== none) bindings.push({ name: '', local: tree.name(local) })
        } else if (type === 'named_imports') {
          for (const specifier of childrenOf(child)) {
            const name = childOf(specifier, 'name')
            const alias = childOf(specifier, 'alias')
            // `default` is a word of the grammar and no name: only its alias is there.
            if (name !== none) bindings.push({ name: this.key(name), local: tree.name(alias === none ? name : alias) })
            else if (alias !== none) bindings.push({ name: 'default', local: tree.name(alias) })
          }
        }
      }
    }
    if (source !== none) into.push({ kind: 'import', module: this.plain(source), bindings, start, end })
  }

  #leaves(loop: Node): boolean {
    for (const node of this.below(loop)) {
      const { type } = node
      if (type === 'break_statement' || type === 'return_statement' || type === 'throw_statement') return true
      if (type === 'yield_expression' || type === 'await_expression') return true
      if (type === 'call_expression' && this.tree.text(node).startsWith('process.exit')) return true
    }
    return false
  }
}
