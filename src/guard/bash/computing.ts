import { type ArithmeticExpression, type ArithmeticWord, parse } from 'unbash'

/** What working out a number needs: the words in it expanded, and the variables. */
export interface Numbers {
  /** The text of a word in the expression; null when it is not known. */
  worth(word: ArithmeticWord): string | null
  /** The text of a variable; null when it is not known. */
  get(name: string): string | null
  set(name: string, value: number | null): void
}

/** The number that `$((…))` gives; null when it depends on something that is not known. */
export function compute(expression: ArithmeticExpression, numbers: Numbers): number | null {
  switch (expression.type) {
    case 'ArithmeticWord':
      return numberIn(numbers.worth(expression), numbers)
    case 'ArithmeticGroup':
      return compute(expression.expression, numbers)
    case 'ArithmeticTernary': {
      const test = compute(expression.test, numbers)
      return test === null ? null : compute(test === 0 ? expression.alternate : expression.consequent, numbers)
    }
    case 'ArithmeticUnary':
      return unary(expression, numbers)
    case 'ArithmeticBinary':
      return binary(expression, numbers)
    case 'ArithmeticCommandExpansion':
      return null
  }
}

/** The number that a text stands for where the shell wants one: `${c:i+1:1}`. */
export function computeText(content: string, numbers: Numbers): number | null {
  const plain = numberIn(content.trim(), numbers)
  if (plain !== null || content.length > 64 || !/^[\w\s+*/%()-]+$/.test(content)) return plain
  const command = parse(`((${content}))`).commands[0]?.command
  return command?.type === 'ArithmeticCommand' && command.expression ? compute(command.expression, numbers) : null
}

function numberIn(content: string | null, numbers: Numbers): number | null {
  if (content === null) return null
  if (/^[+-]?\d{1,15}$/.test(content)) return /^0\d/.test(content) ? Number.parseInt(content, 8) : Number(content)
  if (/^0x[\da-f]{1,8}$/i.test(content)) return Number(content)
  const based = /^(\d{1,2})#(\w{1,10})$/.exec(content)
  if (based?.[1] && based[2]) return whole(Number.parseInt(based[2], Number(based[1])))
  if (!/^[A-Za-z_]\w*$/.test(content)) return content.trim() === '' ? 0 : null
  const value = numbers.get(content)
  return value !== null && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : null
}

const whole = (value: number): number | null => (Number.isSafeInteger(value) ? value : null)

function unary(
  { operator, operand, prefix }: Extract<ArithmeticExpression, { type: 'ArithmeticUnary' }>,
  numbers: Numbers,
): number | null {
  const value = compute(operand, numbers)
  if (operator === '++' || operator === '--') {
    const next = value === null ? null : whole(value + (operator === '++' ? 1 : -1))
    if (operand.type === 'ArithmeticWord') numbers.set(operand.value, next)
    return prefix ? next : value
  }
  if (value === null) return null
  switch (operator) {
    case '-':
      return -value
    case '!':
      return value === 0 ? 1 : 0
    case '~':
      return ~value
    default:
      return value
  }
}

function binary(
  { operator, left, right }: Extract<ArithmeticExpression, { type: 'ArithmeticBinary' }>,
  numbers: Numbers,
): number | null {
  const assigns = /^(?:[-+*/%&|^]|<<|>>)?=$/.test(operator)
  if (assigns) {
    const operand = compute(right, numbers)
    const value = operator === '=' ? operand : apply(operator.slice(0, -1), compute(left, numbers), operand)
    if (left.type === 'ArithmeticWord') numbers.set(left.value, value)
    return value
  }
  const one = compute(left, numbers)
  // What stands behind `&&` is worked out only when it counts.
  if (operator === '&&' && one === 0) return 0
  if (operator === '||' && one !== null && one !== 0) return 1
  return apply(operator, one, compute(right, numbers))
}

function apply(operator: string, one: number | null, other: number | null): number | null {
  if (one === null || other === null) return null
  const found = operators[operator]?.(one, other)
  return found === undefined ? null : whole(Number(found))
}

const operators: Readonly<Record<string, (one: number, other: number) => number | boolean>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => Math.trunc(one / other),
  '%': (one, other) => one % other,
  '**': (one, other) => one ** other,
  '<<': (one, other) => one << other,
  '>>': (one, other) => one >> other,
  '&': (one, other) => one & other,
  '|': (one, other) => one | other,
  '^': (one, other) => one ^ other,
  '&&': (one, other) => one !== 0 && other !== 0,
  '||': (one, other) => one !== 0 || other !== 0,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
  ',': (_, other) => other,
}
