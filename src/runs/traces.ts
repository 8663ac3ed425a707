import { z } from 'zod'
import type { Audit } from '../audit/audit.ts'
import type { RunId, TenantId } from '../contract/ids.ts'
import { Impact } from '../contract/inspection.ts'
import { RunTraces } from '../contract/runs.ts'

const { findings, tools, variables, ...certain } = RunTraces.omit({ impact: true, granted: true }).shape
const Intended = z.object({ impact: Impact, network: z.array(z.string()), violations: findings.default([]) })
const Finished = z.object({ ...certain, tools: tools.default([]), variables: variables.default(null) })

/** What a run was expected to touch and what it touched, as the record has it; null where it does not tell. */
export async function tracesOf(
  audit: Pick<Audit, 'query'>,
  { tenant }: { readonly tenant: TenantId },
  run: RunId,
): Promise<RunTraces | null> {
  const { items } = await audit.query({ filter: { run, actions: ['run.intended', 'run.finished'] }, limit: 2 })
  const detailsOf = (action: string) =>
    items.find(({ entry }) => entry.tenant === tenant && entry.action === action)?.entry.details
  const finished = Finished.safeParse(detailsOf('run.finished'))
  if (!finished.success) return null
  const intended = Intended.safeParse(detailsOf('run.intended'))
  const {
    impact,
    network: granted,
    violations,
  } = intended.success ? intended.data : { impact: null, network: [], violations: [] }
  return { ...finished.data, impact, granted, findings: violations }
}
