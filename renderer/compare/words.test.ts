import { describe, expect, it } from 'vitest'
import { PathId } from '../../src/contract/ids.ts'
import { branchOnRight, differences, statusWords } from './words.ts'

const names = { left: 'main', right: 'stress +200bp' }
const cell = { kind: 'cell' } as const
const message = { kind: 'message' } as const
const id = (end: number) => PathId.parse(`01900000-0000-7000-8000-00000000000${end}`)

describe('what two paths differ in', () => {
  it('is counted by kind, in words, with the names of the paths', () => {
    const rows = [
      { status: 'changed', outputs: 'changed', left: cell, right: cell },
      { status: 'same', outputs: 'changed', left: cell, right: cell },
      { status: 'same', outputs: 'same', left: cell, right: cell },
    ] as const
    expect(differences(rows, names)).toBe('1 code change, 2 results changed')
    const more = [
      ...rows,
      { status: 'changed', outputs: 'none', left: message, right: message },
      { status: 'left-only', outputs: 'none', left: cell, right: null },
      { status: 'right-only', outputs: 'none', left: null, right: cell },
    ] as const
    expect(differences(more, names)).toBe(
      '1 code change, 1 text change, 2 results changed, 1 only on main, 1 only on stress +200bp',
    )
  })

  it('is nothing where all is the same', () => {
    expect(differences([{ status: 'same', outputs: 'same', left: cell, right: cell }], names)).toBe('No difference')
    expect(statusWords('right-only', names)).toBe('only on stress +200bp')
  })
})

describe('the sides of a comparison', () => {
  const paths = [
    { id: id(1), shownUnder: null },
    { id: id(2), shownUnder: id(1) },
    { id: id(3), shownUnder: id(2) },
    { id: id(4), shownUnder: id(1) },
  ]

  it('put a branch right of what it came from, so that the difference is branch minus parent', () => {
    expect(branchOnRight(paths, id(3), id(1))).toEqual({ left: id(1), right: id(3) })
    expect(branchOnRight(paths, id(1), id(3))).toEqual({ left: id(1), right: id(3) })
  })

  it('stay as they were named where neither comes from the other', () => {
    expect(branchOnRight(paths, id(3), id(4))).toEqual({ left: id(3), right: id(4) })
    expect(branchOnRight(paths, id(4), id(3))).toEqual({ left: id(4), right: id(3) })
  })

  it('are found also in a tree that goes in circles', () => {
    const circle = [
      { id: id(1), shownUnder: id(2) },
      { id: id(2), shownUnder: id(1) },
    ]
    expect(branchOnRight(circle, id(1), id(3))).toEqual({ left: id(1), right: id(3) })
  })
})
