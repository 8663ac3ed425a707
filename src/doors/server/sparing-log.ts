import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'

const mostLinesAMinute = 60

/** Warnings, so many a minute: a page that knocks without end would otherwise fill the disk with lines about it. */
export function sparing(log: Log, clock: Clock): Pick<Log, 'warn'> {
  let minute = 0
  let lines = 0
  return {
    warn(facts: object, text: string) {
      const now = Math.floor(clock.now() / 60_000)
      if (now !== minute) {
        if (lines > mostLinesAMinute) log.warn({ left: lines - mostLinesAMinute }, 'left out more warnings of the door')
        minute = now
        lines = 0
      }
      lines++
      if (lines <= mostLinesAMinute) log.warn(facts, text)
    },
  } as Pick<Log, 'warn'>
}
