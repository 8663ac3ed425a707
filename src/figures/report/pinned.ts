import type { Audit } from '../../audit/audit.ts'
import type { AuditCursor, AuditFilter, AuditItem } from '../../contract/audit.ts'
import { Facts } from '../../contract/facts.ts'
import { FigurePlace } from '../../contract/figures.ts'
import type { ConversationId, FigureId, TenantId } from '../../contract/ids.ts'
import type { ReadFigure } from '../figures.ts'

interface Told {
  readonly cell: string | undefined
  readonly place: string
  /** All that it was ever called: an undo gives an earlier name back without a word of it. */
  readonly names: Set<string>
}

/** The figures that the record tells otherwise: another place, cell or name than anybody pinned, or none at all. */
export async function notAsPinned(
  audit: Pick<Audit, 'query'>,
  at: { readonly tenant: TenantId; readonly conversation: ConversationId },
  figures: readonly ReadFigure[],
): Promise<string[]> {
  const told = new Map<string, Told>()
  const about = { conversation: at.conversation, actions: ['figure.pinned', 'figure.changed'] as const }
  for (const { entry } of await allOf(audit, { ...about, actions: [...about.actions] }, at.tenant)) {
    const details = new Facts(entry.details)
    const id = details.text('figure')
    if (entry.action === 'figure.pinned')
      told.set(id, { cell: entry.cell, place: placeIn(entry.details), names: new Set([details.text('name')]) })
    else if (details.text('change') === 'renamed') told.get(id)?.names.add(details.text('to'))
  }
  const isAsTold = ({ figure }: ReadFigure): boolean => {
    const found = told.get(figure.id satisfies FigureId)
    return (
      found !== undefined &&
      found.cell === figure.cell &&
      found.place === JSON.stringify(figure.place) &&
      found.names.has(figure.name)
    )
  }
  const wrong = figures.filter(each => !isAsTold(each))
  // What retention has emptied cannot be compared any more.
  const isPruned =
    wrong.length > 0 && (await audit.query({ filter: { actions: ['audit.pruned'] }, limit: 1 })).items.length > 0
  return wrong.filter(({ figure }) => !isPruned || told.has(figure.id)).map(({ figure }) => figure.name)
}

/** Oldest first. */
async function allOf(audit: Pick<Audit, 'query'>, filter: AuditFilter, tenant: TenantId): Promise<AuditItem[]> {
  const found: AuditItem[] = []
  for (let after: AuditCursor | null | undefined; after !== null; ) {
    const page = await audit.query({ filter, limit: 200, ...(after && { after }) })
    found.push(...page.items.filter(({ entry }) => entry.tenant === tenant))
    after = page.next
  }
  return found.reverse()
}

function placeIn(details: unknown): string {
  const place = FigurePlace.safeParse((details as { place?: unknown } | null)?.place)
  return place.success ? JSON.stringify(place.data) : ''
}
