import { describe, expect, it } from 'vitest'
import { readLines } from './input.ts'

async function linesOf(chunks: string[], longest = 10): Promise<(string | null)[][]> {
  async function* source() {
    yield* chunks
  }
  const all: (string | null)[][] = []
  for await (const lines of readLines(source(), longest)) all.push(lines)
  return all
}

describe('lines of a text in chunks', () => {
  it('come as soon as they are whole, those of a chunk together', async () => {
    expect(await linesOf(['a\nb', 'c\nd\n', '', 'e'])).toEqual([['a'], ['bc', 'd'], ['e']])
  })

  it('are null where they are too long, however they are cut, and the next one is read', async () => {
    expect(await linesOf(['12345678901\nb\n'])).toEqual([[null, 'b']])
    expect(await linesOf(['12345678901', '2345\nb\nc\n'])).toEqual([[null, 'b', 'c']])
    expect(await linesOf(['a\n12345678901', '2\n', 'b\n'])).toEqual([['a'], [null], ['b']])
    expect(await linesOf(['12345678901', '2'])).toEqual([[null]])
  })
})
