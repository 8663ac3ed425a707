/** Builds TLS greetings, right and wrong ones. */
export interface HelloOptions {
  /** Entries of the server name list, as [type, name]; none: no such extension. */
  readonly names?: readonly (readonly [type: number, name: string])[]
  /** Extensions as they are, before and after the name. */
  readonly before?: readonly Buffer[]
  readonly after?: readonly Buffer[]
}

const block = (width: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const length = Buffer.alloc(width)
  length.writeUIntBE(body.length, 0, width)
  return Buffer.concat([length, body])
}

export const extension = (type: number, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([type >> 8, type & 255]), block(2, body)])

export const serverNames = (names: readonly (readonly [number, string])[]): Buffer =>
  extension(
    0,
    block(
      2,
      ...names.map(([type, name]) => Buffer.concat([Buffer.from([type]), block(2, Buffer.from(name, 'latin1'))])),
    ),
  )

/** A handshake message of the first kind, without records around it. */
export function helloMessage({ names = [], before = [], after = [] }: HelloOptions): Buffer {
  const extensions = [...before, ...(names.length > 0 ? [serverNames(names)] : []), ...after]
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    block(1),
    block(2, Buffer.from([0x13, 0x01])),
    block(1, Buffer.from([0])),
    block(2, ...extensions),
  ])
  return Buffer.concat([Buffer.from([1]), block(3, body)])
}

/** A message in records of so many bytes each. */
export function records(message: Uint8Array, size = 16_384): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < message.length; at += size)
    parts.push(Buffer.from([22, 3, 1]), block(2, message.subarray(at, at + size)))
  return Buffer.concat(parts)
}

export const hello = (name: string): Buffer => records(helloMessage({ names: [[0, name]] }))
