import { listOf } from '../lists.ts'
import type { Value } from '../model.ts'
import type { Binding, Block, ClassSyntax, Expression, FunctionSyntax, Handler, Lowered, Statement } from '../syntax.ts'
import { childOf, childrenOf, type Node, none, type Tree } from '../tree/tree.ts'
import { number } from '../values.ts'
import { PythonExpressions } from './expressions.ts'

export function lowerPython(tree: Tree): Lowered {
  return new PythonStatements(tree).lower()
}

/** The statements of Python. */
class PythonStatements extends PythonExpressions {
  #body(node: Node, field = 'body'): Block {
    const body = childOf(node, field)
    return body === none ? [] : this.block(body)
  }

  protected statement(node: Node, into: Statement[]): void {
    const tree = this.tree
    const { start, end } = node
    switch (node.type) {
      case 'expression_statement': {
        const inner = node.first
        if (inner === none) return
        // A string with expressions in it runs them, also where it stands alone.
        if (inner.type === 'string' && inner.next === none && inner.first === none)
          into.push({ kind: 'docstring', start, end })
        else {
          for (const child of childrenOf(node))
            into.push({ kind: 'expression', expression: this.expression(child), start, end })
        }
        return
      }
      case 'if_statement':
      case 'elif_clause':
        into.push(this.#if(node))
        return
      case 'for_statement':
        this.decides()
        into.push({
          kind: 'loop',
          before: [],
          test: null,
          target: this.optional(node, 'left'),
          over: this.optional(node, 'right'),
          body: this.#body(node),
          endless: /^(itertools\.)?(count|cycle)\(/.test(tree.text(childOf(node, 'right'))) && !this.#leaves(node),
          start,
          end,
        })
        this.#alternatives(node, into)
        return
      case 'while_statement': {
        this.decides()
        const condition = childOf(node, 'condition')
        into.push({
          kind: 'loop',
          before: [],
          test: this.optional(node, 'condition'),
          target: null,
          over: null,
          body: this.#body(node),
          endless: /^\(?\s*(True|1|not False|not 0)\s*\)?$/.test(tree.text(condition)) && !this.#leaves(node),
          start,
          end,
        })
        this.#alternatives(node, into)
        return
      }
      case 'try_statement': {
        const handlers: Handler[] = []
        const last: Statement[] = []
        const body = [...this.#body(node)]
        for (const child of childrenOf(node)) {
          const { type } = child
          if (type === 'except_clause' || type === 'except_group_clause') {
            const caught = childOf(child, 'value')
            const kind = caught !== none && caught.type === 'as_pattern' ? caught.first : caught
            // What is caught is nearly always a name; a call there runs.
            if (kind !== none && /\w\s*\(/.test(tree.text(kind))) this.#look([this.expression(kind)], body)
            handlers.push(this.#handler(child))
          } else if (type === 'else_clause') body.push(...this.#body(child))
          else if (type === 'finally_clause') for (const inner of childrenOf(child)) last.push(...this.block(inner))
        }
        into.push({ kind: 'try', body, handlers, finally: last, start, end })
        return
      }
      case 'with_statement':
        this.#with(node, into)
        into.push({ kind: 'block', body: this.#body(node), start, end })
        return
      case 'return_statement': {
        const value = node.first
        into.push({ kind: 'return', value: value === none ? null : this.expression(value), start, end })
        return
      }
      case 'function_definition':
        this.#types(node, into)
        into.push({ kind: 'function', fn: this.#function(node), decorators: [], start, end })
        return
      case 'class_definition':
        into.push({ kind: 'class', cls: this.#class(node), decorators: [], start, end })
        return
      case 'decorated_definition': {
        const decorators: Expression[] = []
        for (const child of childrenOf(node)) {
          const inner = child.first
          if (child.type === 'decorator' && inner !== none) decorators.push(this.expression(inner))
        }
        const definition = childOf(node, 'definition')
        if (definition.type === 'class_definition')
          into.push({ kind: 'class', cls: this.#class(definition), decorators, start, end })
        else {
          this.#types(definition, into)
          into.push({ kind: 'function', fn: this.#function(definition), decorators, start, end })
        }
        return
      }
      case 'import_statement':
      case 'future_import_statement':
      case 'import_from_statement':
        this.#import(node, into)
        return
      case 'assert_statement':
        into.push({ kind: 'assert', parts: this.all(node), start, end })
        return
      case 'global_statement':
      case 'nonlocal_statement':
        into.push({ kind: 'outer', names: childrenOf(node).map(child => tree.name(child)), start, end })
        return
      case 'print_statement':
      case 'exec_statement': {
        const name = node.type === 'exec_statement' ? 'exec' : 'print'
        const args = this.all(node).map(value => ({ name: null, value, spread: false }))
        const callee: Expression = { kind: 'name', name, start, end: start + name.length }
        into.push({
          kind: 'expression',
          expression: { kind: 'call', callee, args, made: false, start, end },
          start,
          end,
        })
        return
      }
      case 'match_statement':
        into.push({ kind: 'expression', expression: this.optional(node, 'subject') ?? this.unknown(node), start, end })
        for (const clause of childrenOf(childOf(node, 'body'))) {
          this.decides()
          const guard = childOf(clause, 'guard')
          into.push({
            kind: 'if',
            test: guard === none ? null : this.expression(guard),
            consequence: [...this.#captured(clause, node), ...this.#body(clause, 'consequence')],
            otherwise: [],
            start: clause.start,
            end: clause.end,
          })
        }
        return
      case 'block':
      case 'ERROR':
      case 'else_clause':
        // What the parser could not place is read too: hostile code may stand behind a broken line.
        into.push({ kind: 'block', body: this.block(node), start, end })
        return
      case 'pass_statement':
      case 'break_statement':
      case 'continue_statement':
        return
      case 'type_alias_statement':
        for (const type of childrenOf(node)) this.#look(this.called(type), into)
        return
      default:
        into.push({ kind: 'expression', expression: this.expression(node), start, end })
    }
  }

  /** `else` of a loop. */
  #alternatives(node: Node, into: Statement[]): void {
    const alternative = childOf(node, 'alternative')
    if (alternative !== none)
      into.push({
        kind: 'block',
        body: this.#body(alternative),
        start: alternative.start,
        end: alternative.end,
      })
  }

  #if(node: Node): Statement {
    this.decides()
    const otherwise: Statement[] = []
    for (const child of childrenOf(node)) {
      const { type } = child
      if (type === 'elif_clause') otherwise.push(this.#if(child))
      else if (type === 'else_clause')
        otherwise.push({
          kind: 'block',
          body: this.#body(child),
          start: child.start,
          end: child.end,
        })
    }
    const test = this.optional(node, 'condition')
    return {
      kind: 'if',
      test,
      consequence: this.#body(node, 'consequence'),
      otherwise,
      start: node.start,
      end: node.end,
    }
  }

  #handler(node: Node): Handler {
    this.decides()
    const block = childrenOf(node).find(child => child.type === 'block') ?? none
    const statements = block === none ? [] : childrenOf(block)
    const caught = childOf(node, 'value')
    const caughtText = caught === none ? '' : this.tree.text(caught)
    return {
      body: block === none ? [] : this.block(block),
      name: /\bas\s+(\w+)/.exec(caughtText)?.[1] ?? null,
      silent:
        statements.length > 0 && statements.every(child => /^(pass|continue|\.\.\.)$/.test(this.tree.text(child))),
      broad: /^(|Exception\b.*|BaseException\b.*)$/.test(caughtText),
      start: node.start,
      end: node.end,
    }
  }

  /** A class of the program says itself what `with` gets from it. */
  get #enters(): boolean {
    this.#ownEntry ??= this.tree.source.includes('__enter__')
    return this.#ownEntry
  }
  #ownEntry: boolean | null = null

  #with(node: Node, into: Statement[]): void {
    const clause = childrenOf(node).find(child => child.type === 'with_clause')
    if (clause === undefined) return
    let items = childrenOf(clause)
    // `with (a as b, c as d):` is one item that holds a tuple.
    const alone = items.length === 1 ? childOf(items[0] ?? none, 'value') : none
    if (alone !== none && alone.type === 'tuple') items = childrenOf(alone)
    for (const item of items) {
      const value = item.type === 'with_item' ? childOf(item, 'value') : item
      if (value !== none)
        into.push({
          kind: 'expression',
          expression: this.#entered(this.expression(value)),
          start: item.start,
          end: item.end,
        })
    }
  }

  /** `with A() as x`: where a class of the program says what is entered, `x` may be that. */
  #entered(item: Expression): Expression {
    if (item.kind !== 'assign' || !this.#enters) return item
    const { value, start, end } = item
    const callee: Expression = { kind: 'member', object: value, property: '__enter__', start, end }
    const inside: Expression = { kind: 'call', callee, args: [], made: false, start, end }
    return { ...item, value: { kind: 'choice', tests: [], options: [value, inside], start, end } }
  }

  /** `case x:`, `case [x, y]:` and `case A(field=x):` give the names what is matched. */
  #captured(clause: Node, match: Node): Statement[] {
    const subject = this.optional(match, 'subject')
    const pattern = childrenOf(clause).find(child => child.type === 'case_pattern')
    const inner = pattern === undefined ? none : pattern.first
    if (subject === null || inner === none) return []
    return this.#captures(inner, subject).map(expression => ({
      kind: 'expression' as const,
      expression,
      start: expression.start,
      end: expression.end,
    }))
  }

  /** What a pattern gives to the names in it. */
  #captures(pattern: Node, subject: Expression): Expression[] {
    const { start, end } = pattern
    const inside = childrenOf(pattern)
    const at = (index: Value): Expression => ({
      kind: 'index',
      object: subject,
      index: { kind: 'constant', value: index, start, end },
      start,
      end,
    })
    switch (pattern.type) {
      case 'dotted_name':
      case 'identifier': {
        const name = this.tree.name(pattern)
        // A name with a dot is compared with, and gets nothing.
        if (name.includes('.')) return []
        const target: Expression = { kind: 'name', name, start, end }
        return [{ kind: 'assign', target, value: subject, operator: '', declares: false, start, end }]
      }
      case 'keyword_pattern': {
        const [name, value] = inside
        if (name === undefined || value === undefined) return []
        return this.#captures(value, { kind: 'member', object: subject, property: this.tree.name(name), start, end })
      }
      // `case str(x):` gives `x` all of it; what else stands without a name depends on the class.
      case 'class_pattern':
        return inside.slice(1).flatMap(child => this.#captures(child, subject))
      case 'list_pattern':
      case 'tuple_pattern':
        if (inside.length === 1 && pattern.type === 'tuple_pattern' && !/,\s*\)$/.test(this.tree.text(pattern)))
          return inside.flatMap(child => this.#captures(child, subject))
        return inside.flatMap((child, place) => {
          const rest = child.first !== none && child.first.type === 'splat_pattern'
          return this.#captures(
            child,
            rest ? { kind: 'slice', object: subject, bounds: [null], start, end } : at(number(place)),
          )
        })
      case 'dict_pattern': {
        const keys = inside.filter(child => child.field === 'key')
        const values = inside.filter(child => child.field === 'value')
        const rest = inside.filter(child => child.type === 'splat_pattern')
        return [
          ...values.flatMap((child, place) => {
            const key = keys[place]
            if (key === undefined) return []
            return this.#captures(child, { kind: 'index', object: subject, index: this.expression(key), start, end })
          }),
          ...rest.flatMap(child => this.#captures(child, subject)),
        ]
      }
      case 'case_pattern':
      case 'as_pattern':
      case 'union_pattern':
      case 'splat_pattern':
        return inside.flatMap(child => this.#captures(child, subject))
      default:
        return []
    }
  }

  #function(node: Node): FunctionSyntax {
    const tree = this.tree
    const name = childOf(node, 'name')
    return this.inFunction(() => ({
      name: name === none ? 'function' : tree.name(name),
      parameters: this.parameters(childOf(node, 'parameters')),
      body: this.#body(node),
      start: node.start,
      end: node.end,
    }))
  }

  /** The types of parameters and of what comes back are worked out where the function is declared. */
  #types(node: Node, into: Statement[]): void {
    const types = [childOf(node, 'return_type')]
    for (const parameter of childrenOf(childOf(node, 'parameters'))) types.push(childOf(parameter, 'type'))
    for (const type of types) this.#look(this.called(type), into)
  }

  #look(expressions: readonly Expression[], into: Statement[]): void {
    for (const expression of expressions)
      into.push({ kind: 'expression', expression, start: expression.start, end: expression.end })
  }

  protected within(tree: Tree, node: Node): Expression {
    return new PythonStatements(tree).expression(node)
  }

  #class(node: Node): ClassSyntax {
    const superclasses = childOf(node, 'superclasses')
    const name = childOf(node, 'name')
    return {
      name: name === none ? 'class' : this.tree.name(name),
      bases: superclasses === none ? [] : listOf(this.argumentsOf(superclasses), argument => argument.value),
      body: this.#body(node),
      start: node.start,
      end: node.end,
    }
  }

  #import(node: Node, into: Statement[]): void {
    const tree = this.tree
    const { start, end } = node
    const moduleNode = childOf(node, 'module_name')
    const module = moduleNode === none ? '' : closed(tree.name(moduleNode))
    const bindings: Binding[] = []
    for (const child of childrenOf(node)) {
      if (child === moduleNode) continue
      const { type } = child
      if (type === 'wildcard_import') bindings.push({ name: '*', local: '*' })
      if (type !== 'dotted_name' && type !== 'aliased_import') continue
      const name = closed(tree.name(type === 'dotted_name' ? child : childOf(child, 'name')))
      const local = type === 'dotted_name' ? name : tree.name(childOf(child, 'alias'))
      if (module) bindings.push({ name, local })
      else {
        // `import a.b` binds `a`; `import a.b as c` binds the module itself.
        const dot = name.indexOf('.')
        const root = dot === -1 ? name : name.slice(0, dot)
        const binding = type === 'dotted_name' ? { name: '', local: root } : { name: '', local }
        into.push({ kind: 'import', module: name, bindings: [binding], start, end })
      }
    }
    if (module) into.push({ kind: 'import', module, bindings, start, end })
  }

  #leaves(loop: Node): boolean {
    for (const node of this.below(loop)) {
      const { type } = node
      if (type === 'break_statement' || type === 'return_statement' || type === 'raise_statement' || type === 'yield')
        return true
      if (
        type === 'call' &&
        /^(sys\.exit|exit|quit|os\._exit|os\.abort|time\.sleep|input)\b/.test(this.tree.text(node))
      )
        return true
      if (type === 'await') return true
    }
    return false
  }
}

/** `os . path` is `os.path`. */
const closed = (name: string): string => (/\s/.test(name) ? name.replace(/\s+/g, '') : name)
