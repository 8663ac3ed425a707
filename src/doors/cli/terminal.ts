import type { Writable } from 'node:stream'
import { nameOf } from '../../contract/visible.ts'

/** Colours, and what writes a line anew; nothing that moves up, asks the terminal or tells it something else. */
const harmless = /^\x1b\[(?:[\d;]*m|\d*[CDGK]|0?J)/

/** Controls but for tabs and line ends, and what turns text around. */
const acting = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Text as a terminal may be given it, whoever wrote it: names, answers of models and what code prints could set the
 * clipboard, type for the person or write over the lines above. What would act is shown instead.
 */
export const forTerminal = (text: string): string =>
  text.replace(acting, (character, at: number) => {
    if (character === '\x1b') return harmless.test(text.slice(at, at + 16)) ? character : '␛'
    return character === '\b' || character === '\x07' ? '' : nameOf(character)
  })

/** The stream as it is where no terminal is behind it; else one that lets nothing act. */
export function guarded<Stream extends Writable & { isTTY?: boolean }>(stream: Stream): Stream {
  if (stream.isTTY !== true) return stream
  return new Proxy(stream, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value
      return (chunk: string | Uint8Array, ...rest: never[]) =>
        target.write(forTerminal(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')), ...rest)
    },
  })
}
