/**
 * Keccak-256 as Ethereum uses it, which is SHA-3 before its padding changed: `node:crypto` has only the later one. Each
 * lane of 64 bits is two halves, since big integers would make a text full of addresses slow.
 */

const rotations = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44]
const lanes = [10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1]

/** Low and high halves of the constant of each round, from the register that the standard describes. */
const constants = makeConstants()

function makeConstants(): Int32Array {
  const made = new Int32Array(48)
  let register = 1
  for (let round = 0; round < 24; round++) {
    for (let power = 0; power < 7; power++) {
      const bit = (1 << power) - 1
      if (register & 1) made[round * 2 + (bit >> 5)] = (made[round * 2 + (bit >> 5)] ?? 0) ^ (1 << (bit & 31))
      register = register & 0x80 ? (register << 1) ^ 0x171 : register << 1
    }
  }
  return made
}

const at = (state: Int32Array, index: number): number => state[index] ?? 0

function permute(state: Int32Array): void {
  const columns = new Int32Array(10)
  const row = new Int32Array(10)
  for (let round = 0; round < 24; round++) {
    for (let x = 0; x < 10; x++) {
      columns[x] = at(state, x) ^ at(state, x + 10) ^ at(state, x + 20) ^ at(state, x + 30) ^ at(state, x + 40)
    }
    for (let x = 0; x < 5; x++) {
      const next = ((x + 1) % 5) * 2
      const last = ((x + 4) % 5) * 2
      const low = at(columns, last) ^ ((at(columns, next) << 1) | (at(columns, next + 1) >>> 31))
      const high = at(columns, last + 1) ^ ((at(columns, next + 1) << 1) | (at(columns, next) >>> 31))
      for (let y = 0; y < 50; y += 10) {
        state[x * 2 + y] = at(state, x * 2 + y) ^ low
        state[x * 2 + y + 1] = at(state, x * 2 + y + 1) ^ high
      }
    }
    let low = at(state, 2)
    let high = at(state, 3)
    for (let step = 0; step < 24; step++) {
      const lane = (lanes[step] ?? 0) * 2
      const turn = rotations[step] ?? 0
      const [one, two] = turn < 32 ? [low, high] : [high, low]
      const by = turn & 31
      const turnedLow = by === 0 ? one : (one << by) | (two >>> (32 - by))
      const turnedHigh = by === 0 ? two : (two << by) | (one >>> (32 - by))
      low = at(state, lane)
      high = at(state, lane + 1)
      state[lane] = turnedLow
      state[lane + 1] = turnedHigh
    }
    for (let y = 0; y < 50; y += 10) {
      row.set(state.subarray(y, y + 10))
      for (let x = 0; x < 10; x++) state[y + x] = at(row, x) ^ (~at(row, (x + 2) % 10) & at(row, (x + 4) % 10))
    }
    state[0] = at(state, 0) ^ at(constants, round * 2)
    state[1] = at(state, 1) ^ at(constants, round * 2 + 1)
  }
}

/** Of ASCII text shorter than one block (136 bytes), in hexadecimal. */
export function keccak256(text: string): string {
  const state = new Int32Array(50)
  const bytes = new Uint8Array(state.buffer)
  for (let place = 0; place < text.length; place++) bytes[place] = text.charCodeAt(place)
  bytes[text.length] = (bytes[text.length] ?? 0) ^ 1
  bytes[135] = (bytes[135] ?? 0) ^ 0x80
  permute(state)
  return Buffer.from(bytes.subarray(0, 32)).toString('hex')
}
