import { createHash } from 'node:crypto'
import type { PrintPdf, Recorder } from '../../audit/audit.ts'
import { drawCharts } from '../../charts/charts.ts'
import type { ConversationId } from '../../contract/ids.ts'
import { PathReportRequest } from '../../contract/path-report.ts'
import { type Outcome, ok } from '../../contract/problem.ts'
import { type Caller, fileNameFor } from '../../conversations/conversations.ts'
import type { Passed } from '../../privacy/privacy.ts'
import type { Storage } from '../../storage/storage.ts'
import { type CollectSources, collectReport } from './collect.ts'
import { mapTexts, type ReportContent } from './content.ts'
import { renderPage } from './page.ts'

export interface ReportSources extends CollectSources {
  readonly audit: CollectSources['audit'] & Recorder
  readonly storage: Pick<Storage, 'write'>
  /** Texts on their way into the file, through the egress guard. */
  readonly passEgress: (
    conversation: ConversationId,
    texts: readonly string[],
    to: string,
  ) => Promise<Passed<readonly string[]>>
  readonly printPdf: PrintPdf
}

export interface PathReport {
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

export interface Progress {
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

/** A path as a document. Its texts pass the egress guard; that it was made is on the record, with its hash. */
export async function reportOf(
  sources: ReportSources,
  who: Caller,
  asked: PathReportRequest,
  progress: Progress = {},
): Promise<Outcome<PathReport>> {
  const request = PathReportRequest.parse(asked)
  const conversation = await sources.conversations.locate(who, request.path)
  if (!conversation.ok) return conversation
  const collected = await collectReport(sources, who, request, progress)
  if (!collected.ok) return collected
  const content = await guarded(collected.value, texts =>
    sources.passEgress(conversation.value, texts, request.format === 'pdf' ? 'report (PDF)' : 'report (web page)'),
  )
  const page = renderPage(content, await drawCharts(chartsOf(content)))
  progress.signal?.throwIfAborted()
  const bytes = request.format === 'pdf' ? await sources.printPdf(page) : Buffer.from(page)
  const fileName = fileNameFor(`${content.title} report`, content.path, request.format)
  const stale = content.figures.filter(figure => figure.stale).length
  await sources.storage.write(transaction =>
    sources.audit.append(transaction, {
      action: 'conversation.exported',
      tenant: who.tenant,
      actor: who.user,
      conversation: conversation.value,
      path: request.path,
      details: {
        ...{ format: `report ${request.format}`, fileName, figures: content.figures.length, stale },
        ...{ withCode: request.withCode, sha256: createHash('sha256').update(bytes).digest('hex') },
      },
    }),
  )
  return ok({ fileName, mediaType: request.format === 'pdf' ? 'application/pdf' : 'text/html;charset=utf-8', bytes })
}

async function guarded(
  content: ReportContent,
  pass: (texts: readonly string[]) => Promise<Passed<readonly string[]>>,
): Promise<ReportContent> {
  const texts: string[] = []
  mapTexts(content, text => {
    texts.push(text)
    return text
  })
  const { value: safe } = await pass(texts)
  if (safe.length !== texts.length) throw new Error('redaction lost or made up texts')
  let next = 0
  return mapTexts(content, () => safe[next++] ?? '')
}

/** The charts that the page takes, in its order: the figures', then the one across paths. */
function chartsOf({ figures, comparison }: ReportContent): unknown[] {
  const specs = figures.flatMap(({ name, shown }) =>
    shown.kind === 'chart' && shown.drawing.kind === 'spec' ? [untitled(shown.drawing.spec, name)] : [],
  )
  const [row] = comparison?.rows ?? []
  if (!row || !comparison) return specs
  const values = row.values.flatMap(({ number, text, stale }, at) =>
    number === null ? [] : { path: comparison.paths[at] ?? '', value: number, shown: text, stale },
  )
  const x = { field: 'path', type: 'nominal', sort: null, title: null, axis: { labelAngle: 0, labelLimit: 110 } }
  const y = { field: 'value', type: 'quantitative', title: row.unit ? `${row.name} (${row.unit})` : row.name }
  const opacity = { condition: { test: 'datum.stale', value: 0.45 }, value: 1 }
  return [
    ...specs,
    {
      ...{ width: 560, height: 200, data: { values }, encoding: { x, y } },
      layer: [
        { mark: { type: 'bar', width: { band: 0.5 } }, encoding: { opacity } },
        { mark: { type: 'text', dy: -8 }, encoding: { text: { field: 'shown', type: 'nominal' } } },
      ],
    },
  ]
}

/** The heading above the chart says its name already. */
function untitled(spec: unknown, name: string): unknown {
  if (typeof spec !== 'object' || spec === null || !('title' in spec) || spec.title !== name) return spec
  const { title: _, ...rest } = spec
  return rest
}
