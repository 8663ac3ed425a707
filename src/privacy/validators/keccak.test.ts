import { expect, it } from 'vitest'
import { keccak256 } from './keccak.ts'

it('is the hash of Ethereum and not the SHA-3 of today', () => {
  expect(keccak256('')).toBe('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
  expect(keccak256('abc')).toBe('4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45')
})
