import { describe, expect, it } from 'vitest'
import { createMapWriter, type MapSource, openMap, readMap } from './map.ts'

const secret = { key: new Uint8Array(32).fill(7) }
const entry = (at: number) => ({
  token: `[EMAIL_${at}]`,
  type: 'EMAIL',
  value: `p${at}@bank.ie`,
  kind: 'text' as const,
})
const parts = [1, 2, 3, 4, 5].map(part => Array.from({ length: 50 }, (_, at) => entry(part * 100 + at)))

async function mapOf(): Promise<Buffer> {
  const writer = await createMapWriter(secret)
  return Buffer.concat([writer.header, ...parts.map(part => writer.seal(part)), writer.end()])
}

/** A map on a disk, which notes how much of it was asked for. */
function onDisk(bytes: Buffer) {
  const asked: number[] = []
  const read = async (at: number, length: number): Promise<Buffer> => {
    asked.push(length)
    return bytes.subarray(at, at + length)
  }
  return { asked, size: bytes.length, read }
}

async function partsIn(disk: MapSource): Promise<unknown[]> {
  const parts: unknown[] = []
  for await (const part of readMap(disk, secret)) parts.push(part)
  return parts
}

describe('a map of tokens', () => {
  it('is read part by part, as it was written', async () => {
    const bytes = await mapOf()
    const disk = onDisk(bytes)
    expect(await partsIn(disk)).toEqual(parts)
    expect(Math.max(...disk.asked)).toBeLessThan(bytes.length / 2)
    expect(await openMap(bytes, secret)).toEqual(parts.flat())
  })

  it('does not open when anything is missing from it, and asks for no more than it has', async () => {
    const bytes = await mapOf()
    const part = bytes.indexOf(10) + 1
    const length = 5 + bytes.readUInt32BE(part)
    const claims = Buffer.from(bytes)
    claims.writeUInt32BE(0xfffffff0, part)
    for (const broken of [
      bytes.subarray(0, -1),
      bytes.subarray(0, -bytes.length / 3),
      Buffer.concat([bytes.subarray(0, part), bytes.subarray(part + length)]),
      Buffer.concat([bytes, Buffer.of(0)]),
      claims,
    ]) {
      const disk = onDisk(broken)
      await expect(partsIn(disk)).rejects.toThrow('cannot be opened')
      expect(Math.max(...disk.asked)).toBeLessThanOrEqual(broken.length)
    }
  })
})
