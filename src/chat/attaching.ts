import type { Part } from '../contract/chat.ts'
import type { PathRef } from '../contract/contexts.ts'
import type { Caller } from '../conversations/conversations.ts'
import { type Desk, orProblem } from './desk.ts'
import { clip } from './results.ts'

const readBytes = 64_000
const excerptChars = 2000

/** Files of the working folder that go with a question: their name, size and beginning, with tokens in it. */
export async function attach(desk: Desk, who: Caller, ref: PathRef, files: readonly string[]): Promise<Part[]> {
  const parts: Part[] = []
  for (const file of files) {
    const bytes = orProblem(await desk.contexts.files(ref, who.user).read(file, { offset: 0, length: readBytes }))
    const text = Buffer.from(bytes).toString('utf8')
    const lines = text.split('\n').slice(0, 40).join('\n')
    const excerpt = text.includes('\0')
      ? '(not text)'
      : clip(await desk.privacy.forRecord(ref.conversation, lines), excerptChars)
    parts.push({ kind: 'attachment', file, bytes: bytes.length, excerpt })
  }
  return parts
}
