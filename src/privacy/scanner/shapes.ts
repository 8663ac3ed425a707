import { reported } from '../detectors/detector.ts'
import { digit, letter, separatorKinds, word } from './classes.ts'
import { classAt, codeAt, separatorAt } from './codes.ts'
import type { Entry } from './compile.ts'
import type { Scan } from './scan.ts'

/**
 * Templates of digits and letters (`999-99-9999`, `AA999999A`) compiled into one tree over runs: a step is "so many
 * digits" or "so many letters", then nothing or a separator. One walk from the start of a word tries them all.
 */
export interface ShapeTree {
  /** By kind and length of the run: digits at 0–31, letters at 32–63. */
  readonly runs: (Run | undefined)[]
}

interface Run {
  /** Detectors that are sure enough by themselves. */
  readonly sure: Entry[]
  /** Those that need a word near, or a text that is nothing else: most numbers have neither, and are asked once. */
  readonly unsure: Entry[]
  /** What may follow: nothing (0) or a separator of some kind. */
  readonly next: (ShapeTree | undefined)[]
}

const longestRun = 31
/** `240807+4176`: between the groups of a number this sign tells the century; it separates nothing else. */
const plus = 5

const emptyTree = (): ShapeTree => ({ runs: new Array<Run | undefined>(64).fill(undefined) })

export function compileShapes(entries: readonly Entry[]): ShapeTree {
  const root = emptyTree()
  for (const entry of entries) {
    const { find } = entry.detector
    if (find.by === 'shapes') for (const shape of find.shapes) addShape(root, shape, entry)
  }
  return root
}

function addShape(root: ShapeTree, shape: string, entry: Entry): void {
  const steps = shape.match(/9+|A+|[ ./+-]/g) ?? []
  if (steps.join('') !== shape) throw new Error(`not a shape: ${shape}`)
  let tree = root
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] ?? ''
    const slot = step.length + (step.startsWith('A') ? 32 : 0)
    const run = tree.runs[slot] ?? {
      sure: [],
      unsure: [],
      next: new Array<ShapeTree | undefined>(plus + 1).fill(undefined),
    }
    tree.runs[slot] = run
    if (at === steps.length - 1) {
      ;(entry.score < reported ? run.unsure : run.sure).push(entry)
      return
    }
    const sign = steps[at + 1] ?? ''
    const separator = sign === '+' ? plus : (separatorKinds[sign as keyof typeof separatorKinds] ?? 0)
    if (separator) at++
    const next = run.next[separator] ?? emptyTree()
    run.next[separator] = next
    tree = next
  }
}

/** `415-555-0132--212-555-0147`: two hyphens join what no one would dial. */
const isDashed = (at: number): boolean =>
  codeAt(at) === 0x2d && codeAt(at + 1) === 0x2d && (classAt(at + 2) & digit) !== 0

/** Hands every template that fits from `start` on and ends at a boundary to the scan. */
export function walkShapes(tree: ShapeTree, scan: Scan, start: number): void {
  const { length } = scan
  let node: ShapeTree | undefined = tree
  let at = start
  while (node) {
    const kind = classAt(at) & (digit | letter)
    if (!kind) return
    const mask = kind & digit ? digit : letter
    const from = at
    at++
    while (at < length && classAt(at) & mask) at++
    if (at - from > longestRun) return
    const run: Run | undefined = node.runs[at - from + (mask === digit ? 0 : 32)]
    if (!run) return
    const follows = at < length ? classAt(at) : 0
    if (follows & word) {
      node = run.next[0]
      continue
    }
    const separator = at < length ? separatorAt(at) || (codeAt(at) === 0x2b ? plus : 0) : 0
    const next = separator !== 0 && at + 1 < length ? classAt(at + 1) : 0
    // `123-45-6789-01` and `3.141592653.2` are longer things of which a template saw only the beginning.
    const partOfMore =
      (next & digit) !== 0 ? separator !== separatorKinds[' '] && separator !== plus : separator !== 0 && isDashed(at)
    if (!partOfMore) {
      for (const entry of run.sure) scan.candidate(entry, start, at)
      if (run.unsure.length > 0 && scan.isSpokenFor(start, at))
        for (const entry of run.unsure) scan.candidate(entry, start, at)
    }
    if (!(next & word)) return
    node = run.next[separator]
    at++
  }
}
