import { readFile } from 'node:fs/promises'
import type { ConversationTree } from '../contract/conversations.ts'
import type { Outcome } from '../contract/problem.ts'
import { resource } from '../places.ts'
import type { Caller } from './conversations.ts'
import { importNotebook } from './notebooks/import.ts'
import type { Desk } from './operation.ts'
import { readTree } from './tree.ts'

/** A capital review to try things on: a shock of 200 basis points on its own branch. */
export async function openSample(desk: Desk, who: Caller): Promise<Outcome<ConversationTree>> {
  const bytes = await readFile(resource('samples', 'capital-review.ipynb'))
  const imported = await importNotebook(desk, who, { name: 'capital-review.ipynb', bytes }, 'conversation.created')
  return imported.ok ? readTree(desk.storage.read, who, imported.value.conversation.id) : imported
}
