import type { ActiveSandbox, ImageInfo, ImagesOf, SandboxesView } from '../../../contract/images.ts'

/** What is open, what is kept ready and what it is made from, for a terminal. */
export function statusText({ active, pools }: SandboxesView, images: readonly ImagesOf[]): string {
  const open = active.length === 0 ? ['No sandbox is open.'] : table([header, ...active.map(rowOf)])
  const ready = pools
    .filter(({ wanted }) => wanted > 0)
    .map(({ kind, ready, wanted }) => `${kind}: ${ready} of ${wanted} ready`)
  const made = images.flatMap(({ kind, images: all, problem }) =>
    problem ? [`${kind}: ${problem.message} ${problem.hint}`] : all.map(imageLine),
  )
  const parts = [
    open,
    ready.length > 0 ? ready : ['No sandbox is kept ready.'],
    made.length > 0 ? made : ['No images.'],
  ]
  return `${parts.map(lines => lines.join('\n')).join('\n\n')}\n`
}

export const imageLine = ({ name, digest, bytes, current, packages }: ImageInfo): string =>
  [
    `${name}  ${digest}  ${(bytes / 1e6).toFixed(0)} MB`,
    packages.length > 0 ? `with ${packages.join(' ')}` : '',
    current ? '' : '(of another version)',
  ]
    .filter(Boolean)
    .join('  ')

const header = ['PATH', 'KIND', 'ISOLATION', 'STATE', 'MEMORY', 'CPU', 'AGE', 'LEFT']

function rowOf({ status, conversation, path, usage }: ActiveSandbox): string[] {
  const { sandbox, state, createdAt, expiresAt, at } = status
  return [
    `${conversation} › ${path}`,
    sandbox?.kind ?? '–',
    sandbox?.isolation ?? '–',
    state,
    usage ? `${(usage.memoryBytes / 1e6).toFixed(0)} MB` : '–',
    `${((usage?.cpuTimeMs ?? status.cpuTimeMs) / 1000).toFixed(1)} s`,
    createdAt === null ? '–' : minutes(at - createdAt),
    expiresAt === null ? '–' : minutes(expiresAt - at),
  ]
}

const minutes = (ms: number): string => `${Math.max(0, Math.round(ms / 60_000))} min`

function table(rows: readonly string[][]): string[] {
  const widths = header.map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)))
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
