import { client } from '../state/connection.ts'

/** Well below the limit of a message, in base64. */
const pieceBytes = 2_000_000

/** Sends a file in pieces and answers the name of the upload, to be used once. */
export async function upload(file: File, onProgress?: (share: number) => void): Promise<string> {
  const { upload } = await client.uploads.begin({ name: file.name || 'file', bytes: file.size })
  for (let offset = 0; offset < file.size; offset += pieceBytes) {
    const bytes = new Uint8Array(await file.slice(offset, offset + pieceBytes).arrayBuffer())
    await client.uploads.piece({ upload, data: toBase64(bytes) })
    onProgress?.(Math.min(1, (offset + pieceBytes) / file.size))
  }
  return upload
}

/** Fetches a file piece by piece, to its end or as far as is wanted. */
export async function fetched(
  read: (at: { offset: number; length: number }) => Promise<{ data: string; done: boolean }>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = []
  for (let offset = 0; offset < limit; offset += pieceBytes) {
    const { data, done } = await read({ offset, length: Math.min(pieceBytes, limit - offset) })
    pieces.push(Uint8Array.from(atob(data), character => character.charCodeAt(0)))
    if (done) break
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

/** Asks for a file by the system's own dialog; null when the person thinks better of it. */
export function chooseFile(accept: string): Promise<File | null> {
  return new Promise(resolve => {
    const input = document.createElement('input')
    input.type = 'file'
    input.accept = accept
    input.addEventListener('change', () => resolve(input.files?.[0] ?? null))
    input.addEventListener('cancel', () => resolve(null))
    input.click()
  })
}

/** Hands a file to the person. */
export function download(name: string, mediaType: string, data: BlobPart): void {
  const url = URL.createObjectURL(new Blob([data], { type: mediaType }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  // In slices, since an argument list has a limit.
  for (let at = 0; at < bytes.length; at += 32_768) text += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(text)
}
