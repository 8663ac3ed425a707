import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Item, ItemId } from '../contract/conversations.ts'
import type { CellId, PathId } from '../contract/ids.ts'
import { cell, codeOf, desk, printed, said, value } from './testing.ts'

/** The same conversation in the simplest way there is: every path is a list of its own, and a branch is a copy. */
interface Thing {
  readonly id: ItemId
  readonly text: string
  readonly language: string | null
  readonly ran: { readonly text: string; readonly language: string | null; readonly output: string } | null
}
interface Edit {
  readonly before: readonly Thing[]
  readonly after: readonly Thing[]
  readonly at: number
}
interface ModelPath {
  readonly id: PathId
  things: readonly Thing[]
  done: Edit[]
  undone: Edit[]
  /** What came in past undo: an undo or redo leaves it where it is. */
  answers: { readonly thing: Thing; readonly at: number }[]
  /** What ran is not undone: the last of each cell, with when it was. */
  runs: Map<ItemId, { readonly ran: Thing['ran']; readonly at: number }>
  state: 'open' | 'archived' | 'deleted'
}
/** What ran, by what it printed: every run prints something of its own. */
const byOutput = new Map<string, NonNullable<Thing['ran']>>()

const pick = fc.nat({ max: 1000 })
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('insert' as const), a: pick, b: pick, c: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('answer' as const), a: pick, b: pick, c: pick }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('edit' as const), a: pick, b: pick, c: pick }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('move' as const, 'remove' as const, 'language' as const, 'run' as const, 'clear' as const),
      a: pick,
      b: pick,
      c: pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('branch' as const), a: pick, b: pick, c: pick }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('undo' as const, 'redo' as const), a: pick, b: pick, c: pick }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'merge' as const,
        'merge-some' as const,
        'archive' as const,
        'delete' as const,
        'restore' as const,
      ),
      a: pick,
      b: pick,
      c: pick,
    }),
  },
)
type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

it('a tree of references behaves like a tree of copies, whatever is done to it', async () => {
  const at = await desk()
  const { conversations, who } = at
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 45 }), async commands => {
      const { conversation } = value(await conversations.create(who, { title: 'model' }))
      const paths: ModelPath[] = [newPath(conversation.main, [])]
      for (const [time, each] of commands.entries()) {
        const before = at.recorded.length
        const changed = await perform(at, paths, each, time)
        expect(at.recorded.length - before, 'audit entries of one operation').toBe(changed ? 1 : 0)
        await check(at, paths)
      }
    }),
    { numRuns: 100 },
  )
})

async function perform(
  at: Awaited<ReturnType<typeof desk>>,
  paths: ModelPath[],
  { do: what, a, b, c }: Command,
  time: number,
) {
  const { conversations, who } = at
  const path = choose(paths, what, a)
  if (!path) return false
  const thing = path.things[b % Math.max(1, path.things.length)]
  const edited = (things: readonly Thing[]) => {
    path.done.push({ before: path.things, after: things, at: time })
    path.undone = []
    path.things = things
    return true
  }
  const swap = (change: Partial<Thing>) => path.things.map(each => (each === thing ? { ...each, ...change } : each))
  const refused = path.state !== 'open' && what !== 'branch' && what !== 'restore' && what !== 'run'
  if (refused && what !== 'archive' && what !== 'delete') {
    expect(codeOf(await conversations.insert(who, { path: path.id, items: [said('x')] }))).toBe(`path.${path.state}`)
    return false
  }
  switch (what) {
    case 'insert':
    case 'answer': {
      const place = what === 'answer' ? path.things.length : b % (path.things.length + 1)
      const items = Array.from({ length: what === 'answer' ? 1 : c }, (_, index) =>
        (c + index) % 2 ? cell(`cell ${time}.${index}`) : said(`message ${time}.${index}`),
      )
      const after = what === 'answer' ? undefined : (path.things[place - 1]?.id ?? null)
      const made = value(
        await conversations.insert(who, {
          path: path.id,
          ...(after === undefined ? {} : { after }),
          items,
          undoable: what === 'insert',
        }),
      )
      const things = made.map(asThing)
      expect(things.map(each => each.text)).toEqual(items.map(each => each.text))
      if (what === 'insert') return edited(path.things.toSpliced(place, 0, ...things))
      path.answers.push(...things.map(each => ({ thing: each, at: time })))
      path.things = [...path.things, ...things]
      return true
    }
    case 'edit': {
      if (!thing) return false
      const shown = value(await conversations.items(who, path.id, [thing.id]))[0]
      const text = c % 3 ? `edit ${c % 5}` : thing.text
      const edit = { path: path.id, item: thing.id, text, expectedRevision: shown?.revision ?? -1 }
      expect(value(await conversations.edit(who, edit)).result).toBe('saved')
      return text === thing.text ? false : edited(swap({ text }))
    }
    case 'language': {
      if (!thing?.language) return false
      const language = c % 2 ? 'bash' : 'python'
      value(await conversations.changeLanguage(who, { path: path.id, item: thing.id as CellId, language }))
      return thing.language === language ? false : edited(swap({ language }))
    }
    case 'move': {
      if (!thing) return false
      const rest = path.things.filter(each => each !== thing)
      const place = c % (rest.length + 1)
      value(await conversations.move(who, { path: path.id, items: [thing.id], after: rest[place - 1]?.id ?? null }))
      return edited(rest.toSpliced(place, 0, thing))
    }
    case 'remove': {
      if (!thing) return false
      value(await conversations.removeItems(who, { path: path.id, items: [thing.id] }))
      return edited(path.things.filter(each => each !== thing))
    }
    case 'run': {
      if (!thing?.language) return false
      const { text, language } = thing
      const output = `output ${byOutput.size}`
      await at.run(path.id, thing.id as CellId, text, [printed(output)], language)
      byOutput.set(output, { text, language, output })
      setRun(path, thing.id, { text, language, output }, time)
      return false
    }
    case 'clear': {
      if (!thing?.language) return false
      value(await conversations.clearOutputs(who, { path: path.id, items: [thing.id as CellId] }))
      return thing.ran ? edited(swap({ ran: null })) : false
    }
    case 'branch': {
      const count = b % (path.things.length + 1)
      const outcome = await conversations.branch(who, { path: path.id, after: path.things[count - 1]?.id ?? null })
      if (path.state === 'deleted') {
        expect(codeOf(outcome)).toBe('path.deleted')
        return false
      }
      paths.push(newPath(value(outcome).id, path.things.slice(0, count)))
      return true
    }
    case 'undo':
    case 'redo': {
      const edit = what === 'undo' ? path.done.pop() : path.undone.pop()
      const outcome = await conversations[what](who, path.id)
      if (!edit) {
        expect(codeOf(outcome)).toBe('undo.nothing')
        return false
      }
      if (what === 'undo') path.undone.push(edit)
      else path.done.push(edit)
      const later = path.answers.filter(answer => answer.at > edit.at).map(answer => answer.thing)
      path.things = withRuns([...(what === 'undo' ? edit.before : edit.after), ...later], path, edit.at)
      expect(value(outcome)).toMatchObject({ canUndo: path.done.length > 0, canRedo: path.undone.length > 0 })
      return true
    }
    case 'merge':
    case 'merge-some':
      return merge(at, paths, path, what === 'merge', { b, c }, time)
    case 'archive':
    case 'delete': {
      const outcome = await (what === 'archive' ? conversations.archivePath : conversations.deletePath)(who, path.id)
      if (path.state === 'deleted' || (path.state === 'archived' && what === 'archive')) {
        expect(codeOf(outcome)).toBe(`path.${path.state}`)
        return false
      }
      if (path === paths[0]) {
        expect(codeOf(outcome)).toBe('path.main')
        return false
      }
      value(outcome)
      path.state = what === 'archive' ? 'archived' : 'deleted'
      return true
    }
    case 'restore': {
      const outcome = await conversations.restorePath(who, path.id)
      if (path.state === 'open') expect(codeOf(outcome)).toBe('path.open')
      const changed = path.state !== 'open'
      path.state = 'open'
      return changed
    }
  }
}

/** As people do: mostly on the newest path, and undoing what was just done. */
function choose(paths: readonly ModelPath[], what: Command['do'], a: number): ModelPath | undefined {
  const last = (list: (path: ModelPath) => Edit[]) =>
    paths.toSorted((left, right) => (list(right).at(-1)?.at ?? -1) - (list(left).at(-1)?.at ?? -1))[0]
  if (what === 'undo' && a % 4) return last(path => path.done)
  if (what === 'redo' && a % 4) return last(path => path.undone)
  return a % 3 ? paths[a % paths.length] : paths.at(-1)
}

/** A merge is checked by what it promises; the model then goes on with what came out. */
async function merge(
  { conversations, who, items }: Awaited<ReturnType<typeof desk>>,
  paths: ModelPath[],
  source: ModelPath,
  whole: boolean,
  { b, c }: { b: number; c: number },
  time: number,
): Promise<boolean> {
  const target = paths[b % paths.length]
  const chosen = source.things[c % Math.max(1, source.things.length)]
  if (!target || target === source || target.state !== 'open' || (!whole && !chosen)) return false
  const what = whole || !chosen ? ({ mode: 'whole' } as const) : { mode: 'selected' as const, items: [chosen.id] }
  const result = value(await conversations.merge(who, { source: source.id, target: target.id, what }))
  const before = target.things
  const after = (await items(target.id)).map(asThing)
  const kept = new Set(after.map(thing => thing.id))
  const inSource = new Map(source.things.map(thing => [thing.id, thing]))
  for (const thing of before) {
    if (result.removed.includes(thing.id)) expect(inSource.has(thing.id)).toBe(false)
    else expect(kept.has(thing.id), 'an item of the target').toBe(true)
    if (!result.changed.includes(thing.id) && kept.has(thing.id)) expect(textsOf(after)).toContain(thing.text)
  }
  for (const id of result.changed) expect(after.find(thing => thing.id === id)?.text).toBe(inSource.get(id)?.text)
  for (const { item, added } of result.conflicts) {
    expect(after.find(thing => thing.id === added)?.text).toBe(inSource.get(item)?.text)
  }
  if (!whole && chosen) expect(textsOf(after)).toContain(chosen.text)
  target.done.push({ before, after, at: time })
  target.undone = []
  target.things = after
  return true
}

async function check({ conversations, who }: Awaited<ReturnType<typeof desk>>, paths: readonly ModelPath[]) {
  const everything = [...new Set(paths.flatMap(path => path.things.map(thing => thing.id)))]
  for (const path of paths) {
    const opened = value(await conversations.open(who, { path: path.id }))
    expect(value(await conversations.items(who, path.id, everything)), 'one by one').toEqual(opened.items)
    expect(opened.items.map(asThing)).toEqual(path.things)
    expect(opened.path.itemCount).toBe(path.things.length)
    expect(opened.items.map(item => item.kind === 'cell' && (item.lastRun?.stale ?? null))).toEqual(
      path.things.map(
        ({ ran, text, language }) => language !== null && (ran ? ran.text !== text || ran.language !== language : null),
      ),
    )
  }
}

function newPath(id: PathId, things: readonly Thing[]): ModelPath {
  return { id, things, done: [], undone: [], answers: [], runs: new Map(), state: 'open' }
}

function setRun(path: ModelPath, id: ItemId, ran: Thing['ran'], at: number): void {
  path.runs.set(id, { ran, at })
  path.things = withRuns(path.things, path, at - 1)
}

function withRuns(things: readonly Thing[], path: ModelPath, since: number): Thing[] {
  return things.map(thing => {
    const last = path.runs.get(thing.id)
    return last && last.at > since ? { ...thing, ran: last.ran } : thing
  })
}

const textsOf = (things: readonly Thing[]) => things.map(thing => thing.text)

function asThing(item: Item): Thing {
  if (item.kind === 'message') return { id: item.id, text: item.text, language: null, ran: null }
  const output = item.lastRun?.outputs[0]
  const shown = output?.whole && output.output.type === 'stream' ? output.output.text : ''
  return { id: item.id, text: item.text, language: item.language, ran: byOutput.get(shown) ?? null }
}
