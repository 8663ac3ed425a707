import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { paletteColour, restyle } from './style.ts'
import { rowText, Terminal, terminalColumns } from './terminal.ts'

function screen(...chunks: string[]): string[] {
  return written(...chunks)
    .rows()
    .map(rowText)
}

function written(...chunks: string[]): Terminal {
  const terminal = new Terminal()
  for (const chunk of chunks) terminal.write(chunk)
  return terminal
}

describe('a terminal', () => {
  it('shows lines as they were written', () => {
    expect(screen('one\ntwo\n\nthree')).toEqual(['one', 'two', '', 'three'])
    expect(written('one\ntwo\n').lineCount).toBe(2)
    expect(written('one\ntwo').lineCount).toBe(2)
  })

  it('overwrites after a carriage return, as a progress bar wants', () => {
    expect(screen('10 %\r20 %\r100 %\ndone')).toEqual(['100 %', 'done'])
    expect(screen('abcdef\rXY')).toEqual(['XYcdef'])
    expect(screen('windows\r\nlines\r\n')).toEqual(['windows', 'lines'])
  })

  it('steps back over a backspace and never before the start of the line', () => {
    expect(screen('ab\b\b\b\bX')).toEqual(['Xb'])
  })

  it('erases the line when told to', () => {
    expect(screen('loading…\r\u001b[Kok')).toEqual(['ok'])
    expect(screen('loading…\u001b[2Kok')).toEqual(['ok'])
  })

  it('drops escapes that it does not follow, and shows what stands around them', () => {
    expect(screen('a\u001b[2J\u001b[10;5H\u001b]0;title\u0007\u001b(B\u001b7b')).toEqual(['ab'])
    expect(screen('\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\')).toEqual(['link'])
  })

  it('does not let an escape without an end swallow the rest of the output', () => {
    const hidden = `\u001b]0;${'x'.repeat(10_000)}\nthe loss is 4 million`
    expect(screen(hidden).join('\n')).toContain('the loss is 4 million')
  })

  it('shows concealed text', () => {
    expect(written('\u001b[8msecret').rows()[0]?.spans).toEqual([{ text: 'secret', style: null }])
  })

  it('shows control characters and marks that reorder text as symbols', () => {
    expect(screen('a\u0000b\u0007c\u007f')).toEqual(['a⟨NUL⟩b⟨BEL⟩c⟨DEL⟩'])
    expect(screen('user\u202enimda')).toEqual(['user⟨U+202E⟩nimda'])
    expect(screen('\u009b31m')).toEqual(['⟨U+009B⟩31m'])
  })

  it('wraps a line that is wider than any screen', () => {
    const rows = written('x'.repeat(terminalColumns * 2 + 5)).rows()
    expect(rows.map(row => [rowText(row).length, row.wrapped])).toEqual([
      [terminalColumns, false],
      [terminalColumns, true],
      [5, true],
    ])
    expect(written(`${'x'.repeat(terminalColumns * 2 + 5)}\ny`).lineCount).toBe(2)
  })

  it('keeps characters outside the basic plane whole', () => {
    expect(screen('🟢🟢\r🔴')).toEqual(['🔴🟢'])
  })

  it('shows the same whatever way the text was cut into chunks', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom('\r', '\n', '\b', '\u001b[31m', '\u001b[0m', '\u001b[K', '\u001b]0;t\u0007', '\u001b', '\u001b['),
      fc.string({ unit: fc.constantFrom('a', ';', '3', '8', 'm', '[', ']', '\\', '\u0007') }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 4 }), (pieces, cuts) => {
        const text = pieces.join('')
        const ends = [...cuts.filter(cut => cut < text.length).sort((a, b) => a - b), text.length]
        const chunks = ends.map((end, index) => text.slice(index === 0 ? 0 : (ends[index - 1] ?? 0), end))
        expect(screen(...chunks)).toEqual(screen(text))
      }),
    )
  })

  it.each([
    ['one endless line', 'x'],
    ['carriage returns', '\r'],
    ['starts of escapes', '\u001b['],
    ['erased lines', 'ab\u001b[2K'],
    ['styles', '\u001b[1;2;3;4;5;6;7;8;9m'],
    ['a title without an end', '\u001b]x'],
    ['empty lines', '\n'],
  ])('takes time in proportion to the text: %s', (_, piece) => {
    const time = (size: number) => {
      const text = piece.repeat(Math.ceil(size / piece.length))
      const times = [1, 2, 3].map(() => {
        // The time of this thread, not of the clock: a busy machine must not fail the test.
        const started = process.threadCpuUsage()
        written(text)
        return process.threadCpuUsage(started).user / 1000
      })
      return Math.min(...times)
    }
    time(50_000)
    // Eight times the text would take sixty-four times as long if the time grew with its square; a square of fifty
    // thousand takes far more than the few milliseconds in which a collection of garbage would tell.
    expect(time(400_000) / Math.max(4, time(50_000))).toBeLessThan(32)
  })
})

describe('colours', () => {
  it('follows the 16 colours, the 256 and true colour', () => {
    expect(restyle(null, '31')).toEqual({ ink: 1 })
    expect(restyle(null, '1;92;44')).toEqual({ bold: true, ink: 10, ground: 4 })
    expect(restyle(null, '38;5;208')).toEqual({ ink: 208 })
    expect(restyle(null, '48;2;1;2;255')).toEqual({ ground: '#0102ff' })
    expect(restyle(null, '38;5;208;1')).toEqual({ ink: 208, bold: true })
  })

  it('takes back what it set', () => {
    expect(restyle({ bold: true, dim: true, ink: 3 }, '22')).toEqual({ ink: 3 })
    expect(restyle({ bold: true }, '')).toBeNull()
    expect(restyle({ ink: 1, ground: 2 }, '39;49')).toBeNull()
  })

  it('ignores colours that do not exist', () => {
    expect(restyle(null, '38;5;999')).toBeNull()
    expect(restyle(null, '38;2;1;2')).toBeNull()
    expect(restyle(null, '999')).toBeNull()
  })

  it('knows the cube and the greys', () => {
    expect(paletteColour(16)).toBe('#000000')
    expect(paletteColour(196)).toBe('#ff0000')
    expect(paletteColour(231)).toBe('#ffffff')
    expect(paletteColour(244)).toBe('#808080')
  })

  it('never fails, whatever the codes are', () => {
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...'0123456789;:') }), codes => void restyle(null, codes)))
  })
})
