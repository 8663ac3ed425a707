import { fail, type Outcome } from '../../contract/problem.ts'
import { askThread } from '../thread.ts'
import { maxNotebookBytes, type Notebook } from './format.ts'
import { readNotebook } from './read.ts'

/** A file of this size is read in milliseconds; a larger one in a thread of its own, so that no window stands still. */
const smallBytes = 1024 * 1024
const timeLimitMs = 60_000

export async function parseNotebook(bytes: Uint8Array): Promise<Outcome<Notebook>> {
  const inline = bytes.byteLength <= smallBytes || bytes.byteLength > maxNotebookBytes
  if (inline) return readNotebook(bytes, () => crypto.randomUUID())
  const read = await askThread<Outcome<Notebook>>('notebooks', bytes, timeLimitMs)
  return (
    read ??
    fail(
      'notebook.too-large',
      'This notebook needs more time or memory to read than can be given to it.',
      'Clear large outputs in the tool that made it, then try again.',
    )
  )
}
