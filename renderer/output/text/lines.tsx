// biome-ignore-all lint/suspicious/noArrayIndexKey: pieces of a line have no name but their place.
import type { CSSProperties } from 'react'
import { type CellLink, findCellLinks } from './links.ts'
import { type Colour, paletteColour, type Style } from './style.ts'
import { type Row, rowText, type Span } from './terminal.ts'
import styles from './text.module.css'

/** One row of text. With `onOpenLine`, places in a cell become links. */
export function Line({
  row,
  onOpenLine,
}: {
  row: Row
  onOpenLine?: ((line: number, execution?: number) => void) | undefined
}) {
  const links = onOpenLine ? findCellLinks(rowText(row)) : []
  return (
    <div className={styles.row}>
      {pieces(row, links).map((piece, index) => {
        const text = <Styled key={index} span={piece} />
        const { link } = piece
        if (!link || !onOpenLine) return text
        return (
          <button
            key={index}
            type="button"
            className={styles.link}
            title={`Go to line ${link.line}`}
            onClick={() => onOpenLine(link.line, link.execution)}
          >
            {text}
          </button>
        )
      })}
      {row.spans.length === 0 && '\u200b'}
    </div>
  )
}

type Piece = Span & { link?: CellLink }

/** Cuts the spans of a row where links start and end; colours may change in the middle of one. */
function pieces(row: Row, links: readonly CellLink[]): Piece[] {
  if (links.length === 0) return [...row.spans]
  const cut: Piece[] = []
  let at = 0
  for (const span of row.spans) {
    const end = at + span.text.length
    let from = at
    for (const link of links) {
      const [start, stop] = [Math.max(link.from, from), Math.min(link.to, end)]
      if (start >= stop) continue
      if (start > from) cut.push({ ...span, text: span.text.slice(from - at, start - at) })
      cut.push({ ...span, text: span.text.slice(start - at, stop - at), link })
      from = stop
    }
    if (from < end) cut.push({ ...span, text: span.text.slice(from - at) })
    at = end
  }
  return cut
}

function Styled({ span }: { span: Span }) {
  if (!span.style) return span.text
  return (
    <span className={classOf(span.style)} style={coloursOf(span.style)}>
      {span.text}
    </span>
  )
}

const traits = ['bold', 'dim', 'italic', 'underline', 'strike', 'inverse'] as const

function classOf(style: Style): string {
  const names = traits.filter(trait => style[trait]).map(trait => styles[trait])
  const isExact = style.ground !== undefined && !isThemed(style.ground)
  if (style.ink !== undefined && !isExact && !style.inverse) names.push(styles.legible)
  return names.join(' ')
}

/**
 * The first sixteen colours are the theme's: as a ground they are a tint on which every ink can be read. A ground of the
 * program's own choice is shown as it is, with the ink that belongs to it.
 */
function coloursOf({ ink, ground }: Style): CSSProperties {
  const own = { ...(ink !== undefined && { '--ink-own': cssColour(ink) }) }
  if (ground === undefined) return own as CSSProperties
  if (isThemed(ground))
    return { ...own, backgroundColor: `color-mix(in oklab, ${cssColour(ground)} 26%, transparent)` } as CSSProperties
  const exact = cssColour(ground)
  const color = ink !== undefined && !isThemed(ink) ? cssColour(ink) : isLight(exact) ? 'black' : 'white'
  return { '--ground-own': exact, backgroundColor: exact, color } as CSSProperties
}

const isThemed = (colour: Colour): colour is number => typeof colour === 'number' && colour < 16

const cssColour = (colour: Colour): string => {
  if (typeof colour === 'string') return colour
  return isThemed(colour) ? `var(--ansi-${colour})` : paletteColour(colour)
}

function isLight(hex: string): boolean {
  const part = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  return part(1) * 0.299 + part(3) * 0.587 + part(5) * 0.114 > 140
}
