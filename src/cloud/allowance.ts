import { type Outcome, ok, problem } from '../contract/problem.ts'

export interface CloudLimits {
  readonly hoursPerMonth: number
  readonly sandboxesPerMonth: number
}

export interface Taken {
  readonly seconds: number
  readonly sandboxes: number
}

const warnFrom = 0.8

/** The smaller of what the settings and the policy allow. */
export function limitsOf(settings: CloudLimits, policy: { [K in keyof CloudLimits]: number | null }): CloudLimits {
  const least = (name: keyof CloudLimits) => Math.min(settings[name], policy[name] ?? Number.POSITIVE_INFINITY)
  return { hoursPerMonth: least('hoursPerMonth'), sandboxesPerMonth: least('sandboxesPerMonth') }
}

/** Whether a tenant may go on in the cloud this month. The value tells, from 80 % of a limit on, how much is left. */
export function allowance({ seconds, sandboxes }: Taken, limits: CloudLimits): Outcome<string[]> {
  const hours = seconds / 3600
  const parts = [
    { taken: hours, most: limits.hoursPerMonth, words: `${hours.toFixed(1)} of ${limits.hoursPerMonth} hours` },
    {
      taken: sandboxes,
      most: limits.sandboxesPerMonth,
      words: `${sandboxes} of ${limits.sandboxesPerMonth} sandboxes`,
    },
  ]
  const over = parts.find(({ taken, most }) => taken >= most)
  if (over)
    return {
      ok: false,
      problem: problem(
        'cloud.limit',
        `The cloud’s limit for this month is reached: ${over.words}.`,
        'Use a sandbox of this machine, or raise the limit in the settings or the policy.',
      ),
    }
  return ok(
    parts
      .filter(({ taken, most }) => taken >= most * warnFrom)
      .map(({ words }) => `${words} of the cloud are taken this month.`),
  )
}

/** The calendar month of a moment, in UTC: from, to, and its name. */
export function monthOf(now: number): { from: number; to: number; name: string } {
  const at = new Date(now)
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()]
  return { from: Date.UTC(year, month), to: Date.UTC(year, month + 1), name: at.toISOString().slice(0, 7) }
}
