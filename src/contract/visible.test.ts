import { describe, expect, it } from 'vitest'
import { visible } from './visible.ts'

describe('text as a reviewer sees it', () => {
  it.each([
    ['Cyrillic in a Latin word', 'p\u0430ypal', 'p⟨U+0430⟩ypal'],
    ['Armenian in a Latin word', '\u0585s.remove', '⟨U+0585⟩s.remove'],
    ['Cherokee in a Latin word', '\u13aadmin', '⟨U+13AA⟩dmin'],
    ['a lone Cyrillic letter', '\u0430 = 1', '⟨U+0430⟩ = 1'],
    ['a lone Greek letter', '\u03bf = 1', '⟨U+03BF⟩ = 1'],
    ['a word of Cyrillic twins', '\u0435\u0445\u0435\u0441(x)', '⟨U+0435⟩⟨U+0445⟩⟨U+0435⟩⟨U+0441⟩(x)'],
    ['full-width letters', '\uff4f\uff53', '⟨U+FF4F⟩⟨U+FF53⟩'],
    ['full-width signs', 'f\uff08x\uff09', 'f⟨U+FF08⟩x⟨U+FF09⟩'],
    ['the script g', '\u0261et', '⟨U+0261⟩et'],
    ['letters of mathematics', '\u{1d428}s', '⟨U+1D428⟩s'],
    ['the Greek question mark', 'a\u037e b', 'a⟨U+037E⟩ b'],
    ['the fraction slash', 'etc\u2044passwd', 'etc⟨U+2044⟩passwd'],
    ['spaces that are none', 'a\u00a0b\u3000c\u2009d\u2800e', 'a⟨U+00A0⟩b⟨U+3000⟩c⟨U+2009⟩d⟨U+2800⟩e'],
    ['variation selectors', 'a\ufe0fb\u{e0100}', 'a⟨U+FE0F⟩b⟨U+E0100⟩'],
    ['tag characters', 'a\u{e0041}', 'a⟨U+E0041⟩'],
    ['a filler of Hangul', 'a\u3164b', 'a⟨U+3164⟩b'],
  ])('names %s', (_what, text, shown) => {
    expect(visible(text)).toBe(shown)
  })

  it('leaves alone what people write', () => {
    for (const text of [
      '# \u043f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440',
      '# \u0395\u03bb\u03bb\u03ac\u03b4\u03b1',
      '# \u65e5\u672c\u8a9e\uff08\u8868\uff09\u3001\u5024\uff1a',
      '# na\u00efve caf\u00e9 Stra\u00dfe \u2013 \u201cquoted\u201d 5 \u20ac',
      '\u03bb = 0.05; \u03c3 = 2; \u0394 = 1',
      '\u0540\u0561\u0575\u0565\u0580\u0565\u0576',
    ]) {
      expect(visible(text)).toBe(text)
    }
  })
})
