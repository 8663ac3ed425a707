import type { Part } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Caller } from '../conversations/conversations.ts'
import { type Desk, orProblem } from './desk.ts'
import { clip, maskedBeginning } from './results.ts'

const readBytes = 64_000
const excerptChars = 2000
const excerptLines = 40

/** Files of the working folder that go with a question: their name, size and beginning, with tokens in it. */
export async function attach(desk: Desk, who: Caller, ref: PathRef, files: readonly string[]): Promise<Part[]> {
  const parts: Part[] = []
  for (const file of files) {
    const bytes = orProblem(await desk.contexts.files(ref, who.user).read(file, { offset: 0, length: readBytes }))
    const text = Buffer.from(bytes).toString('utf8')
    const end = endOfLine(text, excerptLines)
    const mask = (each: string) => desk.privacy.forRecord(ref.conversation, each, { start: 0, end })
    const excerpt = text.includes('\0')
      ? '(not text)'
      : clip(
          await (bytes.length === readBytes && end === text.length ? maskedBeginning(text, mask) : mask(text)),
          excerptChars,
        )
    parts.push({ kind: 'attachment', file, bytes: bytes.length, excerpt })
  }
  return parts
}

/** Where so many lines end. */
function endOfLine(text: string, lines: number): number {
  let end = -1
  for (let line = 0; line < lines; line++) {
    end = text.indexOf('\n', end + 1)
    if (end < 0) return text.length
  }
  return end
}
