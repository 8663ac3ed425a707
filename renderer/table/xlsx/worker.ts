import { readWorkbook, type Sheet } from './workbook.ts'
import { NotReadable } from './zip.ts'

export interface Asked {
  readonly data: Uint8Array<ArrayBuffer>
  /** Rows of a sheet that are wanted. */
  readonly rows: number
}
export type Answer = { readonly sheets: readonly Sheet[] } | { readonly problem: string }

/** Reads workbooks away from the window: a hostile file costs this worker, which is then ended. */
self.onmessage = async ({ data: { data, rows } }: MessageEvent<Asked>) => {
  const answer: Answer = await readWorkbook(data, rows).then(
    sheets => ({ sheets }),
    error => ({ problem: error instanceof NotReadable ? error.message : 'The file could not be read.' }),
  )
  self.postMessage(answer)
}
