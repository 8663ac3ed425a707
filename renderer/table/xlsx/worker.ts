import { readWorkbook, type Sheet } from './workbook.ts'
import { NotReadable } from './zip.ts'

export type Answer = { readonly sheets: readonly Sheet[] } | { readonly problem: string }

/** Reads workbooks away from the window: a hostile file costs this worker, which is then ended. */
self.onmessage = async ({ data }: MessageEvent<Uint8Array<ArrayBuffer>>) => {
  const answer: Answer = await readWorkbook(data).then(
    sheets => ({ sheets }),
    error => ({ problem: error instanceof NotReadable ? error.message : 'The file could not be read.' }),
  )
  self.postMessage(answer)
}
