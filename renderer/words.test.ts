import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** What each of these says, another word says everywhere else: two words for one thing look like two things. */
const otherWords: Record<string, RegExp> = {
  denied: /(>|['"`])[^<>{}'"`=]*\b(refused|rejected|declined|turned away)( |:|<|\.)/i,
  'kind of sandbox': /(>|['"`])[^<>{}'"`=]*\bback ends?\b/i,
  'dismiss, unload, connection': /(>|['"`])[^<>{}'"`=/]*\b(put away|(the|no) door)\b/i,
  'is listed, is on the record': /(>|['"`])[^<>{}'"`=]*\bstands? (here|under|on the record|for them)\b/i,
  '1 file, 2 files': /(>|['"`])[^<>{}'"`=]*[a-z]\(s\)/,
  '(the thing itself)': /(>|['"`])[^<>{}'"`=]*\b(successfully|please|oops|payload)\b/i,
}
const root = import.meta.dirname
/** There, an input that a calculation does not know is refused; nobody decides about it. */
const others = /^analyses\//

it.each(Object.entries(otherWords))('screens say “%s” and no other word for it', (_, pattern) => {
  const found = globSync('**/*.{tsx,ts}', { cwd: root })
    .filter(file => !others.test(file) && !file.includes('.test'))
    .flatMap(file => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n')
      return lines.flatMap((line, at) =>
        pattern.test(line.replaceAll('=>', '')) && !/^\s*(\/\/|\*|\/\*|\{\/\*)/.test(line)
          ? `${file}:${at + 1} ${line.trim()}`
          : [],
      )
    })
  expect(found).toEqual([])
})
