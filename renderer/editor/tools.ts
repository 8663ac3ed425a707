import type { Language } from '../../src/contract/run.ts'
import type { Completion } from '../../src/contract/sandbox.ts'
import type { KnownTool } from '../../src/contract/tools.ts'

/** A tool of Python waits for its answer; this way of calling it gives something to await. */
const awaited: Completion = { label: 'aio', kind: 'function', detail: 'for await' }

/** What stands behind `tools.` at the end of this text: servers, or the tools of one; null where it is something else. */
export function toolCompletions(
  before: string,
  known: readonly KnownTool[],
  language: Language = 'python',
): Completion[] | null {
  const found = /(?:^|[^\w.])tools\.(?:(\w+)\.(?:(\w+)\.)?)?\w*$/.exec(before)
  if (!found) return null
  const [, server, tool] = found
  if (tool !== undefined) {
    const isKnown = known.some(({ calledAs }) => calledAs.server === server && calledAs.tool === tool)
    return isKnown && language === 'python' ? [awaited] : null
  }
  if (server === undefined)
    return [...new Set(known.map(tool => tool.calledAs.server))].map(label => ({ label, kind: 'module' as const }))
  return known
    .filter(({ calledAs }) => calledAs.server === server)
    .map(({ calledAs, effect }) => ({
      label: calledAs.tool,
      kind: 'function' as const,
      ...(effect === 'reads' ? {} : { detail: 'asks for approval' }),
    }))
}

/** The tool whose name stands at this place, as `tools.SERVER.TOOL`, or as `tools.SERVER.TOOL.aio`. */
export function toolAt(code: string, offset: number, known: readonly KnownTool[]): KnownTool | null {
  const before = /[\w.]*$/.exec(code.slice(0, offset))?.[0] ?? ''
  const after = /^\w*/.exec(code.slice(offset))?.[0] ?? ''
  const [root, server, tool, ...rest] = `${before}${after}`.split('.')
  if (root !== 'tools' || !['', awaited.label].includes(rest.join('.'))) return null
  return known.find(({ calledAs }) => calledAs.server === server && calledAs.tool === tool) ?? null
}
