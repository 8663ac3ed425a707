import type { ServerTool } from '../contract/mcp-servers.ts'
import type { ToolGrant } from '../contract/tools.ts'

type Named = Pick<ServerTool, 'server' | 'name'>

/** Words that Python or JavaScript keep for themselves, or that would make an object pass for something else. */
const reserved = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield match case
  abstract arguments boolean byte catch char const constructor debugger default delete do double enum eval export extends
  final float function goto implements instanceof int interface let long native new null package private protected
  prototype public short static super switch synchronized then this throw throws toJSON toString transient true typeof
  valueOf var void volatile false aio`.split(/\s+/),
)

/**
 * The names by which code calls tools: identifiers, and no two alike. They depend on all accepted tools of a server, in
 * the order of their own names, so that the same tools always have the same ones.
 */
export function namesInCode<T extends Named>(tools: readonly T[]): Map<T, ToolGrant['calledAs']> {
  const sorted = tools.toSorted((a, b) => order(a.server, b.server) || order(a.name, b.name))
  const servers = unique([...new Set(sorted.map(({ server }) => server))])
  const found = new Map<T, ToolGrant['calledAs']>()
  for (const [server, calledAs] of servers) {
    const own = sorted.filter(tool => tool.server === server)
    const names = unique(own.map(({ name }) => name))
    for (const tool of own) found.set(tool, { server: calledAs, tool: names.get(tool.name) ?? '' })
  }
  return found
}

/** Names that are identifiers as they stand keep them; the others take what is left. */
function unique(names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  const taken = new Set<string>()
  /** The number to try next, by name: a thousand names that become one are not counted up a thousand times. */
  const next = new Map<string, number>()
  for (const isPlain of [true, false])
    for (const name of names) {
      const plain = identifier(name)
      if ((plain === name) !== isPlain) continue
      let chosen = plain
      let n = next.get(plain) ?? 2
      for (; taken.has(chosen); n++) chosen = `${plain}_${n}`
      next.set(plain, n)
      taken.add(chosen)
      found.set(name, chosen)
    }
  return found
}

function identifier(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9_]/g, '_')
    .replace(/^(?=\d)/, '_')
    .replace(/^__+/, '_')
  return reserved.has(plain) ? `${plain}_` : plain
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Whether code speaks of a tool: of its server as `tools.SERVER` or `tools["SERVER"]`, and of its name anywhere. More may
 * be granted than is called; what is granted is shown and approved, and code that hides a name is only refused its call.
 */
export function speaksOf(code: string): (calledAs: ToolGrant['calledAs']) => boolean {
  if (!/\btools\b/.test(code)) return () => false
  const servers = new Set(
    [...code.matchAll(/\btools\s*(?:\?\.|\.)?\s*(?:\[\s*["'`])?\s*([A-Za-z_]\w*)/g)].map(([, server]) => server),
  )
  // `const { ledger } = tools` and `from tools import` name servers before the word.
  const destructured = /\{([^{}]*)\}\s*=\s*tools\b/.exec(code)?.[1] ?? ''
  for (const [word] of destructured.matchAll(/\w+/g)) servers.add(word)
  if (servers.size === 0) return () => false
  const words = new Set(code.match(/[A-Za-z_]\w*/g))
  return ({ server, tool }) => servers.has(server) && words.has(tool)
}
