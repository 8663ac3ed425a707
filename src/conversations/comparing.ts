import type { ComparedRow, Item } from '../contract/conversations.ts'
import type { Output } from '../contract/run.ts'
import { pairNumbers } from './numbers.ts'

/** An item with all its outputs, to be set against another. */
export interface Whole {
  readonly item: Item
  readonly outputs: readonly Output[]
}

/** Sets two paths side by side: what is the same item by its id, what else says the same, then what stands in its place. */
export function comparePaths(left: readonly Whole[], right: readonly Whole[]): ComparedRow[] {
  const rows: ComparedRow[] = []
  const place = new Map(right.map((whole, index) => [whole.item.id as string, index]))
  const anchors = rising(
    left.flatMap((whole, index) => {
      const other = place.get(whole.item.id)
      return other === undefined ? [] : { left: index, right: other }
    }),
  )
  let [fromLeft, fromRight] = [0, 0]
  for (const anchor of [...anchors, { left: left.length, right: right.length }]) {
    rows.push(...compareGap(left.slice(fromLeft, anchor.left), right.slice(fromRight, anchor.right)))
    const [one, other] = [left[anchor.left], right[anchor.right]]
    if (one && other) rows.push(compareRow(one, other))
    fromLeft = anchor.left + 1
    fromRight = anchor.right + 1
  }
  return rows
}

/** Between two shared items: the n-th cell goes with the n-th cell, the n-th message with the n-th message of its author. */
function compareGap(left: readonly Whole[], right: readonly Whole[]): ComparedRow[] {
  const rows: ComparedRow[] = []
  const rest = [...right]
  const slot = ({ item }: Whole) => (item.kind === 'cell' ? `cell ${item.language}` : item.author)
  for (const one of left) {
    const same = rest.findIndex(other => slot(other) === slot(one) && other.item.text === one.item.text)
    const index = same >= 0 ? same : rest.findIndex(other => slot(other) === slot(one))
    if (index < 0) {
      rows.push(alone('left-only', one))
      continue
    }
    for (const passed of rest.splice(0, index)) rows.push(alone('right-only', passed))
    const [other] = rest.splice(0, 1)
    if (other) rows.push(compareRow(one, other))
  }
  return [...rows, ...rest.map(other => alone('right-only', other))]
}

function compareRow(left: Whole, right: Whole): ComparedRow {
  const sameText =
    left.item.text === right.item.text &&
    (left.item.kind === 'cell' ? left.item.language : null) ===
      (right.item.kind === 'cell' ? right.item.language : null)
  const none = left.outputs.length === 0 && right.outputs.length === 0
  const sameOutputs = JSON.stringify(left.outputs) === JSON.stringify(right.outputs)
  return {
    status: sameText ? 'same' : 'changed',
    left: left.item,
    right: right.item,
    outputs: none ? 'none' : sameOutputs ? 'same' : 'changed',
    numbers: pairNumbers(left.outputs, right.outputs),
  }
}

function alone(status: 'left-only' | 'right-only', { item, outputs }: Whole): ComparedRow {
  const [left, right] = status === 'left-only' ? [item, null] : [null, item]
  return { status, left, right, outputs: outputs.length === 0 ? 'none' : 'changed', numbers: [] }
}

/** The longest run of pairs that rises on both sides: the shared items that did not change their order. */
export function rising(pairs: { left: number; right: number }[]): { left: number; right: number }[] {
  const tails: number[] = []
  const previous: number[] = []
  for (const [index, { right }] of pairs.entries()) {
    let [low, high] = [0, tails.length]
    while (low < high) {
      const mid = (low + high) >> 1
      if ((pairs[tails[mid] ?? 0]?.right ?? 0) < right) low = mid + 1
      else high = mid
    }
    previous[index] = tails[low - 1] ?? -1
    tails[low] = index
  }
  const out: { left: number; right: number }[] = []
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at]
    if (pair) out.unshift(pair)
  }
  return out
}
