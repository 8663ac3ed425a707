import { constants, open } from 'node:fs/promises'

/**
 * A file of somebody else's that should be small; null when it is not there, is larger, or is no plain file. A pipe in its
 * place would block a thread of this process for ever, and a link to a device would never end.
 */
export async function readSmallFile(path: string, mostBytes: number): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
  if (!file) return null
  try {
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > mostBytes) return null
    const buffer = Buffer.alloc(stats.size + 1)
    let length = 0
    // One that grows while it is read is not whole yet.
    while (length <= stats.size) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length)
      if (bytesRead === 0) return buffer.subarray(0, length)
      length += bytesRead
    }
    return null
  } catch {
    return null
  } finally {
    await file.close()
  }
}
