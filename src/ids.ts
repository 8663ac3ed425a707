import { randomFillSync } from 'node:crypto'
import type { z } from 'zod'
import type { Clock } from './clock.ts'

/** Makes ids. One maker, injected: `ids.make(PathId)`. */
export interface Ids {
  make<Schema extends z.ZodType<string>>(kind: Schema): z.infer<Schema>
}

/** UUID v7: sorted by time, and by a counter within one millisecond also when the clock stands still or goes back. */
export function uuidV7(clock: Clock): Ids {
  const random = randomBytes()
  let last = 0
  let counter = 0
  const next = (): string => {
    const now = clock.now()
    if (now > last) {
      last = now
      counter = ((random() << 2) | (random() >> 6)) & 0x3ff
    } else if (++counter > 0xfff) {
      last++
      counter = 0
    }
    const time = last.toString(16).padStart(12, '0')
    const variant = hex[0x80 | (random() & 0x3f)]
    let tail = ''
    for (let count = 0; count < 6; count++) tail += hex[random()]
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${hex[random()]}-${tail}`
  }
  return { make: kind => kind.parse(next()) }
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** One byte at a time, fetched by the thousand: asking the system takes longer than all the rest of making an id. */
function randomBytes(): () => number {
  const pool = new Uint8Array(4096)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    return pool[used++] ?? 0
  }
}
