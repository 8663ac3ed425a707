import { assemble, type Code, f32x4, i32, type Local, repeat, sequence, v128, type Writer } from '../../assembler.ts'

/** Of every runtime; the types of browsers, among which it is found, have no place here. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

/** A memory with matrices of numbers one behind the other, by their addresses in it. */
export interface Matrices {
  readonly buffer: ArrayBuffer
  /** `y += x · w`; `rows` is a multiple of 4, `outer` one of 8. */
  multiply(x: number, w: number, y: number, rows: number, inner: number, outer: number): void
}

const pageBytes = 65_536
/** What the function is given stands at the beginning. */
const fields = { x: 0, w: 4, y: 8, rows: 12, inner: 16, outer: 20 } as const
export const firstPlace = 64

export function matrices(bytes: number): Matrices {
  const pages = Math.ceil((firstPlace + bytes) / pageBytes)
  const module = new WebAssembly.Module(assemble(pages, firstPlace - 16, { multiply: writeMultiply }))
  const { memory, multiply } = new WebAssembly.Instance(module).exports as {
    memory: { readonly buffer: ArrayBuffer }
    multiply: (given: number) => number
  }
  const given = new Int32Array(memory.buffer, 0, 6)
  return {
    buffer: memory.buffer,
    multiply(...all) {
      given.set(all)
      multiply(0)
    },
  }
}

/** Four rows and eight columns at a time: each number of `w` is read once for four rows, and their sums stay at hand. */
function writeMultiply({ local }: Writer): Code {
  const field = (name: keyof typeof fields) => i32.load(i32.const(0), fields[name])
  const [column, row, left] = [local('i32'), local('i32'), local('i32')]
  const [xAt, wAt, yAt, xStep, yStep] = [local('i32'), local('i32'), local('i32'), local('i32'), local('i32')]
  const [w1, w2, x] = [local('v128'), local('v128'), local('v128')]
  const sums = Array.from({ length: 4 }, () => [local('v128'), local('v128')] as const)
  const plus = (its: Local, by: Code) => its.set(i32.add(its.get, by))
  const quadruple = (count: Code) => i32.shiftLeft(count, i32.const(2))
  const added = (sum: Local, w: Local) => sum.set(f32x4.add(sum.get, f32x4.times(x.get, w.get)))
  const rowOf = (at: Local, step: Local, n: number) => i32.add(at.get, i32.times(step.get, i32.const(n)))
  return sequence(
    xStep.set(quadruple(field('inner'))),
    yStep.set(quadruple(field('outer'))),
    repeat(
      i32.below(column.get, field('outer')),
      row.set(i32.const(0)),
      repeat(
        i32.below(row.get, field('rows')),
        yAt.set(i32.add(i32.add(field('y'), i32.times(row.get, yStep.get)), quadruple(column.get))),
        xAt.set(i32.add(field('x'), i32.times(row.get, xStep.get))),
        wAt.set(i32.add(field('w'), quadruple(column.get))),
        ...sums.flatMap(([a, b], n) => [
          a.set(v128.load(rowOf(yAt, yStep, n), 0)),
          b.set(v128.load(rowOf(yAt, yStep, n), 16)),
        ]),
        left.set(field('inner')),
        repeat(
          left.get,
          w1.set(v128.load(wAt.get, 0)),
          w2.set(v128.load(wAt.get, 16)),
          ...sums.flatMap(([a, b], n) => [x.set(v128.spread(rowOf(xAt, xStep, n), 0)), added(a, w1), added(b, w2)]),
          plus(xAt, i32.const(4)),
          plus(wAt, yStep.get),
          plus(left, i32.const(-1)),
        ),
        ...sums.flatMap(([a, b], n) => [
          v128.store(rowOf(yAt, yStep, n), 0, a.get),
          v128.store(rowOf(yAt, yStep, n), 16, b.get),
        ]),
        plus(row, i32.const(4)),
      ),
      plus(column, i32.const(8)),
    ),
    i32.const(0),
  )
}
