import type { Caller } from '../contract/caller.ts'
import type { CloudPreview } from '../contract/cloud.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Settings } from '../contract/settings.ts'
import type { Conversations } from '../conversations/conversations.ts'
import type { PathFiles } from '../files/files.ts'
import type { Privacy } from '../privacy/privacy.ts'

export interface PreviewParts {
  readonly conversations: Pick<Conversations, 'open'>
  readonly files: Pick<PathFiles, 'head'>
  readonly privacy: Pick<Privacy, 'dryRun'>
  readonly mode: () => Settings['privacy']['cloudSandbox']
}

const filesShown = 8
const exampleChars = 600
/** Files that are packed or pictures cannot be checked, and are not sent. */
const packed =
  /\.(xlsx?|parquet|feather|pickle|pkl|zip|gz|bz2|xz|7z|pdf|docx?|pptx?|png|jpe?g|gif|webp|db|sqlite3?|npz?)$/i

/** What of a path would leave for the cloud, counted and shown as it would leave. Nothing leaves. */
export async function departing(
  { conversations, files, privacy, mode }: PreviewParts,
  who: Caller,
  ref: PathRef,
): Promise<Pick<CloudPreview, 'cells' | 'files' | 'fileCount' | 'fileBytes' | 'mode' | 'found' | 'example'>> {
  const code = await codeOf(conversations, who, ref)
  const manifest = await files.head(ref)
  const { value: masked } = await privacy.dryRun(ref.conversation, code)
  const texts = masked.map(String)
  const shown = mode() === 'enforce' ? texts : code
  // The first cell with something private in it says most.
  const telling = texts.findIndex((text, at) => text !== code[at])
  return {
    cells: code.length,
    files: manifest.slice(0, filesShown).map(({ path, bytes }) => ({ path, bytes, isText: !packed.test(path) })),
    fileCount: manifest.length,
    fileBytes: manifest.reduce((sum, { bytes }) => sum + bytes, 0),
    mode: mode(),
    found: countTokens(texts),
    example: (shown[Math.max(0, telling)] ?? '').slice(0, exampleChars),
  }
}

async function codeOf(conversations: PreviewParts['conversations'], who: Caller, { path }: PathRef): Promise<string[]> {
  const code: string[] = []
  for (let cursor: { version: number; offset: number } | null | undefined; cursor !== null; ) {
    const opened = await conversations.open(who, { path, ...(cursor ? { cursor } : {}) })
    if (!opened.ok) return code
    for (const item of opened.value.items) if (item.kind === 'cell' && item.text.trim() !== '') code.push(item.text)
    cursor = opened.value.next
  }
  return code
}

function countTokens(texts: readonly string[]): CloudPreview['found'] {
  const counts: CloudPreview['found'] = {}
  for (const [, type = ''] of texts.join('\n').matchAll(/\[([A-Z][A-Z0-9_]{1,39})_[1-9][0-9]{0,8}\]/g))
    counts[type] = (counts[type] ?? 0) + 1
  return counts
}
