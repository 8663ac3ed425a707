const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const dayName = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
const whole = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' })

export const timeOf = (at: number): string => clock.format(at)
export const momentOf = (at: number): string => whole.format(at)

/** `Today · Monday 16 November 2026`. */
export function dayOf(at: number, now = Date.now()): string {
  const day = new Date(at).toDateString()
  const near = day === new Date(now).toDateString() ? 'Today · ' : day === yesterday(now) ? 'Yesterday · ' : ''
  return `${near}${dayName.format(at)}`
}

function yesterday(now: number): string {
  const date = new Date(now)
  // By the calendar, not by 24 hours: a day with a clock change is shorter or longer.
  date.setDate(date.getDate() - 1)
  return date.toDateString()
}

/** A hash as people compare it: in groups of eight, of which a few are shown. */
export const shortHash = (hash: string): string => `${hash.slice(0, 8)}…${hash.slice(-8)}`
