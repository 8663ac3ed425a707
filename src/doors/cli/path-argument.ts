import type { ConversationSummary, PathSummary } from '../../contract/conversations.ts'
import { PathId } from '../../contract/ids.ts'
import type { Engine } from '../../engine/engine.ts'
import { UsageError } from './command.ts'

export const pathHelp = 'PATH is the id of a path, the title of a conversation, or TITLE/NAME of a path in it.'

export interface NamedPath {
  readonly conversation: ConversationSummary
  readonly path: PathSummary
  readonly all: readonly PathSummary[]
}

/** The path that a person names in a terminal. A name that fits several is refused, with what it could mean. */
export async function pathNamed(engine: Engine, text: string): Promise<NamedPath> {
  const { conversations, caller } = engine
  const matches: NamedPath[] = []
  const id = PathId.safeParse(text)
  for (const { id: conversation } of await conversations.list(caller)) {
    const tree = await conversations.tree(caller, conversation)
    if (!tree.ok) continue
    const { conversation: of, paths } = tree.value
    const found = paths.filter(path =>
      id.success
        ? path.id === id.data
        : text === `${of.title}/${path.name}` || (text === of.title && path.id === of.main),
    )
    matches.push(...found.map(path => ({ conversation: of, path, all: paths })))
  }
  const [only, ...others] = matches
  if (!only) throw new UsageError(`there is no path '${text}'. ${pathHelp}`)
  if (others.length === 0) return only
  const ids = matches.map(({ conversation: { title }, path }) => `  ${path.id}  ${title}/${path.name}`)
  throw new UsageError(`'${text}' fits several paths; give the id of one:\n${ids.join('\n')}`)
}
