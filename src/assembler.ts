/**
 * As much of WebAssembly as the scanner and the sentence model need: instructions as nested calls that give bytes. A
 * function written so is read and changed like any other source, and no build step and no binary file come with it.
 */
export type Code = readonly (number | Code)[]

export const types = { i32: 0x7f, i64: 0x7e, v128: 0x7b } as const
export type Type = keyof typeof types

/** A variable of the function. */
export interface Local {
  readonly get: Code
  readonly set: (value: Code) => Code
}

/** What the one who writes a function is given. */
export interface Writer {
  readonly parameter: Local
  readonly local: (type: Type) => Local
  /** Sixteen bytes that stand in memory: written into the code, they would be put together anew at each use. */
  readonly constant: (bytes: readonly number[]) => Code
}

/** A module of functions `(number): number` over one memory, in which constants stand at `constantsAt`. */
export function assemble(
  pages: number,
  constantsAt: number,
  functions: Readonly<Record<string, (writer: Writer) => Code>>,
): Uint8Array<ArrayBuffer> {
  const constants: string[] = []
  const constant = (bytes: readonly number[]): Code => {
    const known = constants.indexOf(bytes.join())
    const place = known >= 0 ? known : constants.push(bytes.join()) - 1
    return v128.load(i32.const(0), constantsAt + 16 * place)
  }
  const names = Object.keys(functions)
  const bodies = Object.values(functions).map(write => bodyOf(write, constant))
  const data = constants.flatMap(bytes => bytes.split(',').map(Number))
  const code = [
    [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    section(1, list([[0x60, 1, types.i32, 1, types.i32]])),
    section(3, list(names.map(() => [0]))),
    section(5, list([[0, unsigned(pages)]])),
    section(7, list([exported('memory', 2, 0), ...names.map((name, at) => exported(name, 0, at))])),
    section(10, list(bodies)),
    section(11, list([[0, i32.const(constantsAt), 0x0b, sized(data)]])),
  ]
  return Uint8Array.from(code.flatMap(bytesOf))
}

function bodyOf(write: (writer: Writer) => Code, constant: Writer['constant']): Code {
  const locals: Type[] = []
  const at = (index: number): Local => ({
    get: [0x20, unsigned(index)],
    set: value => [value, 0x21, unsigned(index)],
  })
  const body = write({ parameter: at(0), local: type => at(locals.push(type)), constant })
  return sized([list(locals.map(type => [1, types[type]])), body, 0x0b])
}

function bytesOf(code: Code): number[] {
  const bytes: number[] = []
  const add = (part: Code): void => {
    for (const item of part) {
      if (typeof item === 'number') bytes.push(item)
      else add(item)
    }
  }
  add(code)
  return bytes
}

const list = (parts: readonly Code[]): Code => [unsigned(parts.length), parts]
function sized(code: Code): Code {
  const bytes = bytesOf(code)
  return [unsigned(bytes.length), bytes]
}
const section = (id: number, body: Code): Code => [id, sized(body)]
const exported = (name: string, kind: number, index: number): Code => [
  sized([...Buffer.from(name)]),
  kind,
  unsigned(index),
]

/** Numbers in seven bits a byte, lowest first, as the format writes them. */
function unsigned(value: number): number[] {
  const low = value & 127
  return value < 128 ? [low] : [low | 128, ...unsigned(value >>> 7)]
}

function signed(value: number): number[] {
  const low = value & 127
  const isLast = value >> 7 === (low & 64 ? -1 : 0)
  return isLast ? [low] : [low | 128, ...signed(value >> 7)]
}

const one =
  (...opcode: number[]) =>
  (value: Code): Code => [value, opcode]
const two =
  (...opcode: number[]) =>
  (left: Code, right: Code): Code => [left, right, opcode]
/** Instructions on sixteen bytes have a number behind a common first byte. */
const wide = (opcode: number): number[] => [0xfd, ...unsigned(opcode)]

export const i32 = {
  const: (value: number): Code => [0x41, signed(value)],
  isZero: one(0x45),
  isNot: (value: Code): Code => i32.isZero(i32.isZero(value)),
  equal: two(0x46),
  unequal: two(0x47),
  below: two(0x49),
  add: two(0x6a),
  sub: two(0x6b),
  times: two(0x6c),
  and: two(0x71),
  or: two(0x72),
  xor: two(0x73),
  shiftLeft: two(0x74),
  shiftRight: two(0x76),
  load: (place: Code, offset: number): Code => [place, 0x28, 2, unsigned(offset)],
  load8: (place: Code, offset: number): Code => [place, 0x2d, 0, unsigned(offset)],
  load16: (place: Code, offset: number): Code => [place, 0x2f, 1, unsigned(offset)],
  store: (place: Code, offset: number, value: Code): Code => [place, value, 0x36, 2, unsigned(offset)],
  fromI64: one(0xa7),
}

export const i64 = {
  const: (value: number): Code => [0x42, signed(value)],
  isZero: one(0x50),
  add: two(0x7c),
  sub: two(0x7d),
  and: two(0x83),
  or: two(0x84),
  not: (value: Code): Code => i64.xor(value, i64.const(-1)),
  xor: two(0x85),
  shiftLeft: two(0x86),
  shiftRight: two(0x88),
  leadingZeros: one(0x79),
  trailingZeros: one(0x7a),
  fromI32: one(0xad),
}

/** Sixteen bytes at once, or eight characters of two bytes each (`pairs`). */
export const v128 = {
  load: (place: Code, offset: number): Code => [place, wide(0x00), 1, unsigned(offset)],
  store: (place: Code, offset: number, value: Code): Code => [place, value, wide(0x0b), 2, unsigned(offset)],
  /** Four bytes, four times. */
  spread: (place: Code, offset: number): Code => [place, wide(0x09), 2, unsigned(offset)],
  /** For each byte of the second, the byte of the first that it counts to. */
  pick: two(...wide(0x0e)),
  equal: two(...wide(0x23)),
  above: two(...wide(0x27)),
  atMost: two(...wide(0x2a)),
  pairsAbove: two(...wide(0x32)),
  and: two(...wide(0x4e)),
  or: two(...wide(0x50)),
  any: one(...wide(0x53)),
  /** One bit a byte. */
  bits: one(...wide(0x64)),
  /** Pairs of two vectors as bytes of one: what is too large becomes 255, or 0 from half on. */
  narrow: two(...wide(0x66)),
  /** The same for pairs with all bits set or none. */
  narrowBits: two(...wide(0x65)),
  shiftRight: (value: Code, by: number): Code => [value, i32.const(by), wide(0x6d)],
  sub: two(...wide(0x71)),
}

/** Four numbers at once. */
export const f32x4 = { add: two(...wide(0xe4)), times: two(...wide(0xe6)) }

export const sequence = (...parts: readonly Code[]): Code => parts
export const when = (condition: Code, ...body: readonly Code[]): Code => [condition, 0x04, 0x40, body, 0x0b]
export const whenElse = (condition: Code, yes: Code, no: Code): Code => [condition, 0x04, 0x40, yes, 0x05, no, 0x0b]
/** Runs the body as long as the condition holds. */
export const repeat = (condition: Code, ...body: readonly Code[]): Code =>
  when(condition, [0x03, 0x40, body, condition, 0x0d, 0, 0x0b])
/** Both are computed, and one is taken without a jump that could be guessed wrong. */
export const either = (condition: Code, yes: Code, no: Code): Code => [yes, no, condition, 0x1b]
