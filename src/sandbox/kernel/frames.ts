/**
 * Frames on the link to a supervisor: u32 header length, u32 payload length (little endian), a header in JSON, bytes.
 * The other end holds the link for code that may be hostile, so lengths are bounded before anything is kept. Of a header
 * only its type is known here; whoever takes the frame parses the rest.
 */
const maxHeader = 24 * 1024 * 1024
const maxPayload = 64 * 1024 * 1024

export interface Header {
  readonly type: string
  readonly [name: string]: unknown
}

export interface Frame {
  readonly header: Header
  readonly payload: Uint8Array
}

export function encodeFrame(header: { type: string } & Record<string, unknown>, payload?: Uint8Array): Buffer {
  const body = JSON.stringify(header)
  const headerEnd = 8 + Buffer.byteLength(body)
  const frame = Buffer.allocUnsafe(headerEnd + (payload?.length ?? 0))
  frame.writeUInt32LE(headerEnd - 8, 0)
  frame.writeUInt32LE(frame.length - headerEnd, 4)
  frame.write(body, 8)
  if (payload) frame.set(payload, headerEnd)
  return frame
}

function parseHeader(text: string): Header {
  const header: unknown = JSON.parse(text)
  if (typeof header !== 'object' || header === null || !('type' in header) || typeof header.type !== 'string')
    throw new Error('a header has no type')
  return header as Header
}

export class FrameDecoder {
  #parts: Buffer[] = []
  #length = 0

  /** Whole frames out of bytes as they come. Throws when the bytes cannot be frames: the link is then worthless. */
  feed(data: Buffer): Frame[] {
    const frames: Frame[] = []
    this.#parts.push(data)
    this.#length += data.length
    while (this.#length >= 8) {
      const head = this.#peek(8)
      const headerLength = head.readUInt32LE(0)
      const payloadLength = head.readUInt32LE(4)
      if (headerLength > maxHeader || payloadLength > maxPayload) throw new Error('a frame is out of bounds')
      if (this.#length < 8 + headerLength + payloadLength) return frames
      const whole = this.#take(8 + headerLength + payloadLength)
      const header = parseHeader(whole.toString('utf8', 8, 8 + headerLength))
      frames.push({ header, payload: whole.subarray(8 + headerLength) })
    }
    return frames
  }

  /** The next bytes, which stay. */
  #peek(count: number): Buffer {
    const first = this.#parts[0]
    return first && first.length >= count ? first : this.#gather(count)
  }

  #take(count: number): Buffer {
    const first = this.#parts[0]
    const taken = first && first.length >= count ? first.subarray(0, count) : this.#gather(count)
    let left = count
    while (left > 0) {
      const part = this.#parts[0] as Buffer
      if (part.length > left) this.#parts[0] = part.subarray(left)
      else this.#parts.shift()
      left -= Math.min(left, part.length)
    }
    this.#length -= count
    return taken
  }

  /** A copy of the next bytes and of no more: under a stream of output each copy is memory until it is collected. */
  #gather(count: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(count)
    let at = 0
    for (const part of this.#parts) {
      if (at === count) break
      at += part.copy(bytes, at, 0, count - at)
    }
    return bytes
  }
}
