/**
 * Without quotes a word behind `password =` is a password in a file of settings and the name of something in a program:
 * `password = sesame`, `password = hashed`. The lines around tell which of the two it is.
 */

/** How far before and behind a value its surroundings reach. */
const before = 400
const behind = 200

const statement =
  /^[ \t]*(?:def|class|return|import|from|if|elif|else|for|while|try|except|with|async|await|const|let|var|function|func|fn|public|private|protected|static|package|use|using|end|raise|throw|switch|case|print|echo|fi|done|then|local|assert)\b(?![ \t]*[:=][ \t]*\S)|[;{}][ \t]*$|\)[ \t]*:?[ \t]*$|\b(?:self|this)\.|=>|\w\(/m

export const standsInCode = (text: string, start: number, end: number): boolean =>
  statement.test(lineStarts(text, start, before)) || statement.test(text.slice(end, end + behind))

const setting = /^[ \t]*(?:[#;!].*|\/\/.*|\[[^\]\n]{1,80}\]|- .*|[\w./ -]{1,60}[ \t]*[:=][^(){};]*|)[ \t]*\r?$/
const section = /^[ \t]*\[[\w .:"'-]{1,80}\][ \t]*\r?$/m

/** Whether all lines around are settings, and some are: a section, or two lines that give something a value. */
export function standsInSettings(text: string, start: number, end: number): boolean {
  if (standsInCode(text, start, end)) return false
  const above = lineStarts(text, start, before).split('\n').slice(0, -1)
  const below = text
    .slice(end, end + behind)
    .split('\n')
    .slice(1, -1)
  const lines = [...above.slice(-5), ...below.slice(0, 4)]
  if (!lines.every(line => setting.test(line))) return false
  return section.test(above.join('\n')) || lines.filter(line => /[:=]/.test(line)).length >= 2
}

/** What stands before a place, from the beginning of a line on. */
function lineStarts(text: string, place: number, most: number): string {
  const from = Math.max(0, place - most)
  const window = text.slice(from, place)
  const line = from > 0 ? window.indexOf('\n') + 1 : 0
  return window.slice(line)
}
