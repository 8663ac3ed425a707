import type { Inspection } from '../contract/inspection.ts'
import type { ToolGrant } from '../contract/tools.ts'

/** What code does is also what its tools do: a tool that changes something elsewhere reaches out, and nobody takes it back. */
export function withTools(inspection: Inspection, grants: readonly ToolGrant[]): Inspection {
  if (grants.every(({ effect }) => effect === 'reads')) return inspection
  return { ...inspection, impact: { ...inspection.impact, blastRadius: 'network', reversible: 'no' } }
}
