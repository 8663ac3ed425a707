import type { Scan } from '../scan.ts'

/** How far from its `data:` the kind of a manifest, or a value in it, may stand. */
const near = 480
const isSecret = /^[ \t]*kind:[ \t]*["']?secret["']?[ \t]*$/im
const value = /^[ \t]+[\w.-]{1,80}:[ \t]*(?:[|>][+-]?[ \t]*\n[ \t]+)?["']?([A-Za-z0-9+/]{10,}={0,2})["']?[ \t]*$/gm

/** Called at the colon of `…a:` at the end of a line: the values under `data:` in a manifest of kind `Secret`. */
export function findKubernetesSecret(scan: Scan, at: number): void {
  const { text } = scan
  if (!text.startsWith('data', at - 4) || !/(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, at - 24), at - 4))) return
  const after = text.slice(at + 1, at + near)
  if (!isSecret.test(text.slice(Math.max(0, at - near), at)) && !isSecret.test(after)) return
  const detector = scan.compiled.finders.secret
  if (!detector) return
  // What is not indented ends the values.
  const stops = after.search(/\n(?=[^\s#])/)
  const lines = text.slice(at + 1, stops < 0 ? at + near + 4096 : at + 1 + stops + 1)
  value.lastIndex = 0
  for (let match = value.exec(lines); match && match.index < near; match = value.exec(lines)) {
    const start = at + 1 + match.index + match[0].indexOf(match[1] ?? '')
    scan.found.push({
      start,
      end: start + (match[1] ?? '').length,
      type: detector.type,
      rule: detector.rule,
      score: detector.score,
    })
  }
}
