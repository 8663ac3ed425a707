import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ItemId } from '../contract/conversations.ts'
import { temporaryFolder } from '../storage/testing.ts'
import { fakeProvider } from './fake-provider.testing.ts'
import { openChat, value } from './testing.ts'

describe('the answers of a conversation', () => {
  it('come in pages, the newest first, and each once; one alone has its parts', async () => {
    const fake = await fakeProvider('compatible', [{ text: 'Yes.' }])
    onTestFinished(() => fake.close())
    const home = join(temporaryFolder(), 'home')
    const { engine, who, path, ask } = await openChat(fake, home)
    const asked = await ask('Is it so?')
    // As if it had been asked two hundred times before.
    const db = new Sqlite(join(home, 'countersign.db'))
    const columns = db
      .prepare<[], { name: string }>("select name from pragma_table_info('chat_turns') where name <> 'id'")
      .all()
      .map(({ name }) => `"${name}"`)
      .join(', ')
    const copy = db.prepare(`insert into chat_turns (id, ${columns}) select ?, ${columns} from chat_turns where id = ?`)
    const older = Array.from({ length: 200 }, (_, n) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`)
    db.transaction(() => {
      for (const id of older) copy.run(id, asked.id)
    })()
    db.close()
    const first = value(await engine.chat.open(who, path))
    expect(first.turns.at(-1)?.id).toBe(asked.id)
    expect(first.older).toBe(first.turns[0]?.id)
    const rest = value(await engine.chat.open(who, path, first.older))
    expect(rest.older).toBeNull()
    expect([...rest.turns, ...first.turns].map(({ id }) => id)).toEqual([...older, asked.id])
    const one = value(await engine.chat.turn(who, asked.id))
    expect(one.turn).toEqual(first.turns.at(-1))
    expect(one.parts).toEqual(first.parts)
    expect(one.parts).toHaveLength(1)
  })

  it('are those of the path that a branch left too', async () => {
    const fake = await fakeProvider('compatible', [{ text: 'Yes.' }])
    onTestFinished(() => fake.close())
    const { engine, who, path, ask, items } = await openChat(fake, join(temporaryFolder(), 'home'))
    const asked = await ask('Is it so?')
    const after = (await items()).at(-1)?.id as ItemId
    const branch = value(await engine.conversations.branch(who, { path, after, name: 'Other' }))
    const view = value(await engine.chat.open(who, branch.id))
    expect(view.turns).toEqual([asked])
    expect(view.parts.map(({ item }) => item)).toContain(after)
  })
})
