import type { Clock } from '../clock.ts'

export const late = Symbol('late')

/** What `work` comes to, or `late` when that takes longer than `ms`. Whatever it comes to after that is dropped. */
export function inTime<T>(work: Promise<T>, ms: number, clock: Clock): Promise<T | typeof late> {
  return new Promise((resolve, reject) => {
    const stopTimer = clock.after(ms, () => resolve(late))
    work.then(resolve, reject).finally(stopTimer)
  })
}
