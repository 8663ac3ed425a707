import { listOf } from '../lists.ts'
import type { Assignment, Call, Program, Value } from '../model.ts'
import type { At, Expression } from '../syntax.ts'
import { from, textOf } from '../values.ts'
import { scalar } from './objects.ts'

/** Writes down what the evaluation meets. A line that is walked twice is listed once, except for its calls. */
export class Facts {
  readonly program: Program
  readonly #texts = new Set<number>()
  readonly #comparisons = new Set<number>()

  constructor(program: Program) {
    this.program = program
  }

  text(expression: Expression & { kind: 'constant' }): void {
    const { value, start, end } = expression
    if (value.kind !== 'text' || this.#texts.has(start)) return
    this.#texts.add(start)
    this.program.texts.push({ text: value.text, role: 'value', start, end })
  }

  assigned(target: string, value: Value, how: Assignment['how'], { start, end }: At): void {
    this.program.assignments.push({ target, value, how, start, end })
  }

  compared(values: readonly Value[], operands: readonly Expression[], at: At): void {
    const known = values.find(value => value.kind === 'text')
    const other = operands[values[0] === known ? 1 : 0]
    if (known === undefined || other === undefined || this.#comparisons.has(at.start)) return
    this.#comparisons.add(at.start)
    const target = spelled(other)
    if (target) this.assigned(target, known, 'compare', at)
  }

  mark(kind: Program['marks'][number]['kind'], { start, end }: At, detail = ''): void {
    this.program.marks.push({ kind, detail, start, end })
  }

  /** One entry per option of the arguments, so that rules never meet a choice. */
  called(call: Call): void {
    const open = call.args.findIndex(argument => argument.kind === 'choice')
    if (open === -1) this.program.calls.push(call)
    else for (const args of expanded(call.args, open)) this.program.calls.push({ ...call, args })
  }
}

/** One list of arguments per option of the first argument that has several. */
function expanded(args: readonly Value[], at: number): (readonly Value[])[] {
  const open = args[at]
  if (open?.kind !== 'choice') return [args]
  return listOf(open.options, option => {
    let position = 0
    return listOf(args, argument => {
      if (position++ === at) return option
      if (argument.kind !== 'choice') return argument
      return argument.options.find(other => textOf(other) !== null) ?? from(argument.origins)
    })
  })
}

/** A target as it is written: `self.token`, `el.innerHTML`. */
export function spelled(expression: Expression): string | null {
  switch (expression.kind) {
    case 'name':
      return expression.name
    case 'member': {
      const object = spelled(expression.object)
      return `${object ?? '?'}.${expression.property}`
    }
    case 'index': {
      const object = spelled(expression.object)
      const { index } = expression
      const key = index.kind === 'constant' ? scalar(index.value) : null
      return `${object ?? '?'}.${key ?? '?'}`
    }
    case 'call':
      return `${spelled(expression.callee) ?? '?'}()`
    default:
      return null
  }
}
