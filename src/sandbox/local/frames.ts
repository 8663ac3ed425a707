import { z } from 'zod'

/**
 * Frames on the link to a supervisor: u32 header length, u32 payload length (little endian), a header in JSON, bytes.
 * The other end holds the link for code that may be hostile, so lengths are bounded before anything is kept.
 */
const maxHeader = 24 * 1024 * 1024
const maxPayload = 64 * 1024 * 1024
const Header = z.looseObject({ type: z.string() })

export interface Frame {
  readonly header: z.infer<typeof Header>
  readonly payload: Uint8Array
}

export function encodeFrame(header: { type: string } & Record<string, unknown>, payload?: Uint8Array): Buffer {
  const body = Buffer.from(JSON.stringify(header))
  const head = Buffer.allocUnsafe(8)
  head.writeUInt32LE(body.length, 0)
  head.writeUInt32LE(payload?.length ?? 0, 4)
  return payload ? Buffer.concat([head, body, payload]) : Buffer.concat([head, body])
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
      const header = Header.parse(JSON.parse(whole.toString('utf8', 8, 8 + headerLength)))
      frames.push({ header, payload: whole.subarray(8 + headerLength) })
    }
    return frames
  }

  #peek(count: number): Buffer {
    const first = this.#parts[0]
    return first && first.length >= count ? first : this.#join()
  }

  #take(count: number): Buffer {
    const first = this.#parts[0]
    const joined = first && first.length >= count ? first : this.#join()
    const rest = joined.subarray(count)
    if (rest.length > 0) this.#parts[0] = rest
    else this.#parts.shift()
    this.#length -= count
    return joined.subarray(0, count)
  }

  #join(): Buffer {
    const joined = Buffer.concat(this.#parts)
    this.#parts = [joined]
    return joined
  }
}
