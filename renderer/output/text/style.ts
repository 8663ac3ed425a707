/** A colour of a terminal: an entry of the palette of 256, or a colour of its own as `#rrggbb`. */
export type Colour = number | `#${string}`

export interface Style {
  readonly ink?: Colour
  readonly ground?: Colour
  readonly bold?: true
  readonly dim?: true
  readonly italic?: true
  readonly underline?: true
  readonly strike?: true
  readonly inverse?: true
}

/** Codes beyond this are noise or an attack; terminals stop reading far earlier. */
const mostCodes = 64

/**
 * The style after `ESC [ codes m`. Concealed text (8) and blinking (5, 6) are not followed: output must not be able to
 * hide itself from the person who reads it.
 */
export function restyle(style: Style | null, codes: string): Style | null {
  if (codes === '' || codes === '0') return null
  const from = style ?? plain
  const known = followed.get(from)
  const reached = known?.get(codes)
  if (reached !== undefined) return reached
  const next = followCodes(style, codes)
  if (!known) followed.set(from, new Map([[codes, next]]))
  else if (known.size < mostFollowed) known.set(codes, next)
  return next
}

/** Programs repeat a few codes all day. A style that was reached before is found again, as the same object. */
const plain: Style = {}
const followed = new WeakMap<Style, Map<string, Style | null>>()
const mostFollowed = 500

function followCodes(style: Style | null, codes: string): Style | null {
  const list = codes.split(/[;:]/, mostCodes).map(code => Number(code || '0'))
  let next: Style = style ?? {}
  for (let at = 0; at < list.length; at++) {
    const code = list[at] ?? 0
    if (code === 38 || code === 48 || code === 58) {
      const { colour, used } = extendedColour(list, at + 1)
      at += used
      if (colour !== undefined && code !== 58) next = { ...next, [code === 38 ? 'ink' : 'ground']: colour }
    } else next = simpleCode(next, code)
  }
  return Object.keys(next).length === 0 ? null : next
}

function simpleCode(style: Style, code: number): Style {
  if (code === 0) return {}
  if (code >= 30 && code <= 37) return { ...style, ink: code - 30 }
  if (code >= 40 && code <= 47) return { ...style, ground: code - 40 }
  if (code >= 90 && code <= 97) return { ...style, ink: code - 82 }
  if (code >= 100 && code <= 107) return { ...style, ground: code - 92 }
  const set = switchedOn.get(code)
  if (set) return { ...style, [set]: true }
  const unset = switchedOff.get(code)
  if (!unset) return style
  return Object.fromEntries(Object.entries(style).filter(([name]) => !unset.includes(name)))
}

const switchedOn = new Map<number, keyof Style>([
  [1, 'bold'],
  [2, 'dim'],
  [3, 'italic'],
  [4, 'underline'],
  [7, 'inverse'],
  [9, 'strike'],
  [21, 'underline'],
])
const switchedOff = new Map<number, readonly string[]>([
  [22, ['bold', 'dim']],
  [23, ['italic']],
  [24, ['underline']],
  [27, ['inverse']],
  [29, ['strike']],
  [39, ['ink']],
  [49, ['ground']],
])

function extendedColour(list: readonly number[], at: number): { colour?: Colour; used: number } {
  if (list[at] === 5) {
    const entry = list[at + 1]
    return entry !== undefined && isByte(entry) ? { colour: entry, used: 2 } : { used: 2 }
  }
  if (list[at] === 2) {
    const [red, green, blue] = [list[at + 1], list[at + 2], list[at + 3]]
    if (red === undefined || green === undefined || blue === undefined) return { used: 4 }
    return [red, green, blue].every(isByte) ? { colour: hex(red, green, blue), used: 4 } : { used: 4 }
  }
  return { used: 1 }
}

const isByte = (value: number) => Number.isInteger(value) && value >= 0 && value <= 255
const hex = (...parts: number[]): `#${string}` => `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`

/** The colour cube and the greys of the palette of 256; the first 16 entries belong to the theme. */
export function paletteColour(entry: number): `#${string}` {
  if (entry >= 232) {
    const grey = 8 + (entry - 232) * 10
    return hex(grey, grey, grey)
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40)
  const index = entry - 16
  return hex(level(Math.floor(index / 36)), level(Math.floor(index / 6) % 6), level(index % 6))
}
