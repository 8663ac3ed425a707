import { useQuery } from '@tanstack/react-query'
import type { PathId } from '../../src/contract/ids.ts'
import type { Output } from '../../src/contract/run.ts'
import type { WorkFile } from '../../src/contract/sandbox.ts'
import { outputActions } from '../notebook/output-actions.ts'
import { Outputs } from '../output/output.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { readWhole, visible } from './files.tsx'
import { bytes } from './format.ts'
import { WorkbookPreview } from './workbook-preview.tsx'

/** The start of a large file is enough to see what it is. */
const mostBytes = 2_000_000

const pictures: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}
const texts: Record<string, string> = { csv: 'text/csv', md: 'text/markdown', svg: 'image/svg+xml', html: 'text/html' }

/** A workbook cannot be read from its start alone. */
const mostWorkbookBytes = 32_000_000

export function FilePreview({ path, file, onClose }: { path: PathId; file: WorkFile; onClose(): void }) {
  const isWorkbook = /\.xls[xm]$/i.test(file.path)
  const most = isWorkbook ? mostWorkbookBytes : mostBytes
  const content = useQuery({
    queryKey: ['file', path, file.path, file.modifiedAt],
    queryFn: () => readWhole(path, file, most),
  })
  const cut = file.bytes > most ? `, the first ${bytes(most)}` : ''
  return (
    <Dialog open wide onClose={onClose} title={visible(file.path)} description={`${bytes(file.bytes)}${cut}`}>
      {content.isError ? (
        <ProblemView error={content.error} onRetry={() => content.refetch()} />
      ) : !content.data ? (
        <Loading />
      ) : isWorkbook ? (
        <WorkbookPreview data={content.data} />
      ) : (
        <Outputs
          outputs={[asOutput(file.path, content.data)]}
          actions={outputActions(path, '' as never)}
          scripts="ask"
        />
      )}
    </Dialog>
  )
}

/** A file is shown as an output of its kind would be, by the same locked renderers. */
function asOutput(name: string, data: Uint8Array): Output {
  const extension = name.split('.').at(-1)?.toLowerCase() ?? ''
  const picture = pictures[extension]
  if (picture) {
    let binary = ''
    for (let at = 0; at < data.length; at += 32_768) binary += String.fromCharCode(...data.subarray(at, at + 32_768))
    return { type: 'display', data: { [picture]: btoa(binary) } }
  }
  const text = new TextDecoder().decode(data)
  if (extension === 'json') {
    try {
      return { type: 'display', data: { 'application/json': JSON.parse(text) } }
    } catch {
      // Cut off or not JSON after all: shown as text.
    }
  }
  return { type: 'display', data: { [texts[extension] ?? 'text/plain']: text } }
}
