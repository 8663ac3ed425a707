import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { forTerminal, guarded } from './terminal.ts'

describe('what a terminal is given', () => {
  it.each([
    ['sets the clipboard', '\x1b]52;c;cm0gLXJmIC8=\x07', '␛]52;c;cm0gLXJmIC8='],
    ['asks the terminal to answer', '\x1b[6n\x1bP$q"p\x1b\\', '␛[6n␛P$q"p␛\\'],
    ['writes over the line above', 'refused\x1b[1A\rallowed', 'refused␛[1A\rallowed'],
    ['clears the screen', '\x1b[2J\x1b[H', '␛[2J␛[H'],
    ['uses the short forms', 'a\u009d0;title\u009cb', 'a⟨U+009D⟩0;title⟨U+009C⟩b'],
    ['turns text around', 'report\u202efdp.exe', 'report⟨U+202E⟩fdp.exe'],
    ['takes letters back', 'allowed\b\b\b', 'allowed'],
  ])('shows what %s', (_, text, shown) => {
    expect(forTerminal(text)).toBe(shown)
  })

  it('leaves colours, tabs, lines and progress bars', () => {
    const plain = '\x1b[1;31mred\x1b[0m\ta\r\x1b[K 50 %\n\x1b[0Jé שלום 😀'
    expect(forTerminal(plain)).toBe(plain)
  })

  it('changes nothing on its way to a file or another program', () => {
    const written: string[] = []
    const stream = (isTTY: boolean) =>
      Object.assign(
        new Writable({
          write(chunk, _encoding, done) {
            written.push(String(chunk))
            done()
          },
        }),
        { isTTY },
      )
    guarded(stream(false)).write('\x1b]0;x\x07')
    guarded(stream(true)).write('\x1b]0;x\x07')
    guarded(stream(true)).write(Buffer.from('\x1b[2J'))
    expect(written).toEqual(['\x1b]0;x\x07', '␛]0;x', '␛[2J'])
  })
})
