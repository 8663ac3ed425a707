import type { Download } from '../../src/contract/rpc/downloads.ts'
import { client } from '../state/connection.ts'

const pieceBytes = 2_000_000

/** Fetches a file that the engine holds ready, piece by piece, and tells the engine that it is here. */
export async function fetchDownload({ download, bytes, mediaType }: Download): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for (let offset = 0; offset < bytes; offset += pieceBytes) {
    const data = await client.downloads.piece({ download, offset, length: pieceBytes })
    pieces.push(Uint8Array.from(atob(data), character => character.charCodeAt(0)))
  }
  await client.downloads.drop(download)
  return new Blob(pieces, { type: mediaType })
}
