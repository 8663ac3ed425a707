/** A file or a folder of the first memory disk. */
export interface Entry {
  readonly name: string
  /** Without contents it is a folder. */
  readonly bytes?: Buffer
  readonly executable?: boolean
}

/** The archive that a kernel unpacks into its first memory disk (cpio, "newc"). Same entries, same bytes. */
export function archive(entries: readonly Entry[]): Buffer {
  const all = [...entries, { name: 'TRAILER!!!', bytes: Buffer.alloc(0) }]
  return Buffer.concat(all.flatMap((entry, at) => one(entry, at + 1)))
}

function one({ name, bytes, executable }: Entry, number: number): Buffer[] {
  const mode = bytes === undefined ? 0o040755 : executable ? 0o100755 : 0o100644
  const path = Buffer.from(`${name}\0`)
  const body = bytes ?? Buffer.alloc(0)
  // number, mode, owner, group, links, time, size, devices (four), length of the name, checksum
  const fields = [number, mode, 0, 0, 1, 0, body.length, 0, 0, 0, 0, path.length, 0]
  const head = Buffer.from(`070701${fields.map(field => field.toString(16).padStart(8, '0')).join('')}`)
  return [head, path, padding(head.length + path.length), body, padding(body.length)]
}

const padding = (length: number): Buffer => Buffer.alloc((4 - (length % 4)) % 4)
