import type { Nodes, Root } from 'hast'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'

/** A page with more than this is no text that somebody reads, and drawing it would hold up the window. */
const mostNodes = 30_000
const deepest = 100

const pipeline = unified().use(remarkParse).use(remarkGfm).use(remarkRehype, { allowDangerousHtml: true }).freeze()

/** The tree of a Markdown text, in which HTML is text like any other; `null` when it is too large to be shown. */
export function parseMarkdown(text: string, most = mostNodes): Root | null {
  const tree = pipeline.runSync(pipeline.parse(text)) as Root
  const stack: { node: Nodes; depth: number }[] = [{ node: tree, depth: 0 }]
  let count = 0
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, depth } = next
    if (++count > most || depth > deepest) return null
    if (!('children' in node)) continue
    node.children = (node.children as Nodes[]).map(child =>
      (child.type as string) === 'raw' ? { type: 'text', value: (child as { value: string }).value } : child,
    ) as typeof node.children
    for (const child of node.children) stack.push({ node: child, depth: depth + 1 })
  }
  return tree
}

const nested = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*){20}/m

/** Whether a text can be parsed between two frames: the time may grow with the square of its length, or worse. */
export const isQuick = (text: string): boolean => text.length <= 2000 && !nested.test(text)
