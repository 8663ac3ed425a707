import type { AuditItem, Checkpoint, Verification } from '../contract/audit.ts'
import type { ItemId } from '../contract/conversations.ts'
import type { CellId, PathId } from '../contract/ids.ts'
import { cell, desk, printed, value } from '../conversations/testing.ts'
import { passed } from '../privacy/testing.ts'
import { createFigures } from './figures.ts'

const checkpoint: Checkpoint = {
  ...{ log: 'a'.repeat(64), size: 7, root: 'b'.repeat(64), at: 0, key: 'c'.repeat(64), signature: 'sig' },
}
const intact: Verification = {
  ...{ ok: true, entries: 7, emptied: 0, checkpoints: 1, bodies: 0, root: checkpoint.root, firstKey: null },
  ...{ findings: [], notices: [], tookMs: 1 },
}

/** A conversation with one cell that has printed a ratio, and figures on top of it. */
export async function kit() {
  const d = await desk()
  const figures = createFigures({
    conversations: d.conversations,
    audit: {
      query: async ({ filter }) => ({
        // The record as far as figures go; of runs it tells nothing here.
        items: filter?.actions?.includes('figure.pinned')
          ? d.recorded
              .filter(({ action }) => filter.actions?.includes(action))
              .map((entry, seq) => ({ entry, seq }) as unknown as AuditItem)
              .reverse()
          : [],
        next: null,
      }),
      verify: async () => intact,
      lastSigned: async () => checkpoint,
      append: async (_, event) => void d.recorded.push(event),
    },
    storage: d.storage,
    now: () => d.clock.now(),
    passEgress: async (_conversation, texts) =>
      passed(texts.map(text => text.replaceAll('jane@example.com', '[EMAIL_1]'))),
    printPdf: async page => Buffer.from(`%PDF ${page}`),
    files: { ofRun: async () => null, manifest: async () => null },
    identities: { list: async () => [] },
  })
  const { conversation } = value(await d.conversations.create(d.who, { title: 'Review' }))
  const main = conversation.main
  const [made] = value(await d.conversations.insert(d.who, { path: main, items: [cell('print(cet1)')] }))
  const ratio = made?.id as CellId
  await d.run(main, ratio, 'print(cet1)', [printed('CET1: 12.91%\nLoss: 0.0\n')])
  const pin = async (name: string, path: PathId = main, of: CellId = ratio) => {
    const spots = value(await figures.candidates(d.who, { path, cell: of }))
    const spot = spots.find(each => each.name === name)
    if (!spot) throw new Error(`no ${name}`)
    return value(await figures.pin(d.who, { path, cell: of, place: spot.place, name }))
  }
  /** `CET1 12.91%` of each figure, with what is to say about it. */
  const told = async (path: PathId = main) =>
    value(await figures.list(d.who, path)).map(({ name, state, inherited }) => {
      const shown = state.kind === 'shown' && 'shown' in state.value ? state.value.shown : state.kind
      const before =
        state.kind === 'shown' && state.before && 'shown' in state.before.value ? state.before.value.shown : null
      const marks = [
        inherited && 'inherited',
        state.kind === 'shown' && state.stale && 'stale',
        before && `was ${before}`,
      ]
      return [name, shown, ...marks.filter(Boolean)].join(' ')
    })
  const branch = async (after: ItemId | null = ratio) =>
    value(await d.conversations.branch(d.who, { path: main, after })).id
  return { ...d, figures, main, ratio, pin, told, branch }
}
