import { randomFillSync } from 'node:crypto'
import type { z } from 'zod'
import type { Clock } from './clock.ts'

/** Makes ids. One maker, injected: `ids.make(PathId)`. */
export interface Ids {
  make<Schema extends z.ZodType<string>>(kind: Schema): z.infer<Schema>
}

/** UUID v7: sorted by time, and by a counter within one millisecond also when the clock stands still or goes back. */
export function uuidV7(clock: Clock): Ids {
  const random = new Uint8Array(10)
  let last = 0
  let counter = 0
  const next = (): string => {
    randomFillSync(random)
    const now = clock.now()
    if (now > last) {
      last = now
      counter = ((random[0] ?? 0) << 2) | ((random[1] ?? 0) >> 6)
    } else if (++counter > 0xfff) {
      last++
      counter = 0
    }
    const time = last.toString(16).padStart(12, '0')
    const tail = Array.from(random.subarray(2), byte => byte.toString(16).padStart(2, '0')).join('')
    const variant = (0x8 | (Number.parseInt(tail.charAt(0), 16) & 0x3)).toString(16)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`
  }
  return { make: kind => kind.parse(next()) }
}
