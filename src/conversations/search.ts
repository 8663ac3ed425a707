import { type ItemId, type SearchHit, SearchRequest } from '../contract/conversations.ts'
import type { ConversationId, PathId } from '../contract/ids.ts'
import { Output as OutputSchema } from '../contract/run.ts'
import { findInIndex } from '../storage/search.ts'
import type { Caller } from './conversations.ts'
import { textOf } from './outputs.ts'
import { list } from './tree.ts'
import { type Chain, type Db, lineOf, type PathRow, runOf } from './view.ts'

const snippetChars = 160
/** A word that stands in every old revision must not make a search slow: after so many looks, what was found is the answer. */
const maxLooks = 2000

/** Finds words in titles, path names, messages, code and output; each place once, where a path shows it now. */
export async function search(db: Db, who: Caller, request: SearchRequest): Promise<SearchHit[]> {
  const { text, conversation, limit } = SearchRequest.parse(request)
  const words = wordsOf(text)
  if (words.length === 0) return []
  const finder = new Finder(db, words)
  await finder.load(who)
  const scope = { tenant: who.tenant, conversation, limit: limit * 4 }
  const named = finder.inNames(conversation)
  const said: SearchHit[] = []
  for (const hit of await findInIndex(db, 'text_search', words, scope)) {
    if (named.length + said.length >= limit) break
    said.push(...(await finder.text(hit.conversation, hit.row)))
  }
  for (const hit of await findInIndex(db, 'output_search', words, scope)) {
    if (named.length + said.length >= limit) break
    said.push(...(await finder.output(hit.conversation, hit.row)))
  }
  return [...named, ...said].slice(0, limit)
}

/** Letters, digits and marks, as the index cuts them. */
export function wordsOf(text: string): string[] {
  return (text.normalize('NFC').match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? []).slice(0, 20)
}

class Finder {
  readonly #db: Db
  readonly #words: readonly string[]
  readonly #titles = new Map<ConversationId, { title: string; main: PathId; at: number; version: number }>()
  readonly #paths = new Map<ConversationId, Map<PathId, PathRow>>()
  #looks = 0

  constructor(db: Db, words: readonly string[]) {
    this.#db = db
    this.#words = words
  }

  async load(who: Caller): Promise<void> {
    for (const { id, title, main, version, lastActivityAt } of await list(this.#db, who, false)) {
      this.#titles.set(id, { title, main, version, at: lastActivityAt })
    }
    const rows = await this.#db
      .selectFrom('paths')
      .innerJoin('conversations', 'conversations.id', 'paths.conversation')
      .selectAll('paths')
      .where('conversations.tenant', '=', who.tenant)
      .where('conversations.deleted_at', 'is', null)
      .execute()
    for (const row of rows) {
      const paths = this.#paths.get(row.conversation) ?? new Map()
      this.#paths.set(row.conversation, paths.set(row.id, row))
    }
  }

  inNames(only: ConversationId | undefined): SearchHit[] {
    const hits: SearchHit[] = []
    for (const [conversation, { title, main, at }] of this.#titles) {
      if (only && only !== conversation) continue
      const shared = { conversation, title, item: null }
      if (this.#matches(title)) {
        const pathName = this.#paths.get(conversation)?.get(main)?.name ?? ''
        hits.push({ ...shared, where: 'title', path: main, pathName, at, ...this.#snippet(title) })
      }
      for (const path of this.#paths.get(conversation)?.values() ?? []) {
        if (path.state === 'deleted' || !this.#matches(path.name)) continue
        const snippet = this.#snippet(path.name)
        hits.push({
          ...shared,
          where: 'path',
          path: path.id,
          pathName: path.name,
          at: path.last_activity_at,
          ...snippet,
        })
      }
    }
    return hits
  }

  async text(conversation: ConversationId, id: number): Promise<SearchHit[]> {
    const rows = await this.#db
      .selectFrom('revisions')
      .innerJoin('items', 'items.id', 'revisions.item')
      .innerJoin('texts', 'texts.id', 'revisions.text')
      .select(['path', 'item', 'kind', 'texts.text', 'at'])
      .where('revisions.text', '=', id)
      .where('state', '=', 'present')
      .orderBy('at')
      .execute()
    const hits: SearchHit[] = []
    for (const row of firstOfEach(rows)) {
      const path = await this.#shownOn(conversation, row.path, async (chain, version) => {
        const line = await lineOf(this.#db, chain, version, row.item)
        return line?.text === id
      })
      if (path) hits.push(this.#hit(row.kind === 'cell' ? 'code' : 'message', path, row.item, row.text, row.at))
    }
    return hits
  }

  async output(conversation: ConversationId, n: number): Promise<SearchHit[]> {
    const rows = await this.#db
      .selectFrom('outputs')
      .innerJoin('executions', 'executions.outputs_of', 'outputs.set_id')
      .select(['path', 'item', 'set_id', 'body', 'finished_at'])
      .where('outputs.n', '=', n)
      .orderBy('version')
      .execute()
    const hits: SearchHit[] = []
    for (const row of firstOfEach(rows)) {
      const path = await this.#shownOn(conversation, row.path, async (chain, version) => {
        const run = await runOf(this.#db, chain, version, row.item)
        return run?.outputs_of === row.set_id && (await lineOf(this.#db, chain, version, row.item)) !== null
      })
      if (!path) continue
      const text = textOf(OutputSchema.parse(JSON.parse(row.body)))
      hits.push(this.#hit('output', path, row.item, text, row.finished_at ?? path.created_at))
      break
    }
    return hits
  }

  /** The path that wrote it if it still shows it, else a branch that does; null where it is history. */
  async #shownOn(
    conversation: ConversationId,
    writer: PathId,
    shows: (chain: Chain, version: number) => Promise<boolean>,
  ): Promise<PathRow | null> {
    const paths = this.#paths.get(conversation) ?? new Map<PathId, PathRow>()
    const version = this.#titles.get(conversation)?.version ?? 0
    const candidates = [...paths.values()].sort(
      (left, right) => Number(right.id === writer) - Number(left.id === writer),
    )
    for (const path of candidates) {
      const chain = chainOf(paths, path)
      if (path.state === 'deleted' || !chain.some(each => each.id === writer)) continue
      if (this.#looks++ > maxLooks) return null
      if (await shows(chain, version)) return path
    }
    return null
  }

  #hit(where: SearchHit['where'], path: PathRow, item: ItemId, text: string, at: number): SearchHit {
    const title = this.#titles.get(path.conversation)?.title ?? ''
    const { id, name, conversation } = path
    return { where, conversation, title, path: id, pathName: name, item, at, ...this.#snippet(text) }
  }

  #matches(text: string): boolean {
    const plain = fold(text)
    return this.#words.every(word => plain.includes(fold(word)))
  }

  #snippet(text: string): Pick<SearchHit, 'snippet' | 'marks'> {
    // Folding keeps every place, so that what is found in the folded text can be marked in the original.
    const plain = fold(text)
    const first = Math.min(...this.#words.map(word => plain.indexOf(fold(word))).filter(at => at >= 0), plain.length)
    const start = first < plain.length ? Math.max(0, first - snippetChars / 2) : 0
    const snippet = text.slice(start, start + snippetChars)
    const marks: [number, number][] = []
    const shown = plain.slice(start, start + snippetChars)
    for (const word of new Set(this.#words.map(fold))) {
      for (let at = shown.indexOf(word); at >= 0; at = shown.indexOf(word, at + word.length)) {
        marks.push([at, at + word.length])
      }
    }
    return { snippet, marks: marks.sort((left, right) => left[0] - right[0]) }
  }
}

function chainOf(paths: ReadonlyMap<PathId, PathRow>, path: PathRow): Chain {
  const parent = path.parent ? paths.get(path.parent) : undefined
  return parent ? [...chainOf(paths, parent), path] : [path]
}

function firstOfEach<Row extends { path: PathId; item: ItemId }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map(row => [`${row.path} ${row.item}`, row])).values()]
}

/** Lower case without accents, one character for one. */
function fold(text: string): string {
  return Array.from({ length: text.length }, (_, at) => {
    const unit = text.charAt(at)
    const plain = unit.normalize('NFD').charAt(0).toLowerCase()
    return plain.length === 1 ? plain : unit
  }).join('')
}
