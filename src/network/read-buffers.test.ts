import { describe, expect, it } from 'vitest'
import { ReadBuffers } from './read-buffers.ts'

const small = 64 * 1024

describe('what is read from a host at once', () => {
  it('stays small for answers that do not fill it', () => {
    const lent = new ReadBuffers().lend()
    lent.filled(small - 1)
    expect(lent.next().length).toBe(small)
  })

  it('becomes large for a download, once', () => {
    const lent = new ReadBuffers().lend()
    lent.filled(small)
    const grown = lent.next()
    expect(grown.length).toBeGreaterThan(small)
    lent.filled(grown.length)
    expect(lent.next()).toBe(grown)
  })

  it('is large for so many connections only, until one of them ends', () => {
    const buffers = new ReadBuffers()
    const grown = (lent = buffers.lend()) => {
      lent.filled(small)
      return { lent, isLarge: lent.next().length > small }
    }
    const downloads = Array.from({ length: 100 }, () => grown())
    const large = downloads.filter(each => each.isLarge)
    expect(large).toHaveLength(32)
    const [first] = large
    first?.lent.giveBack()
    first?.lent.giveBack()
    expect(grown().isLarge).toBe(true)
    expect(grown().isLarge).toBe(false)
  })
})
