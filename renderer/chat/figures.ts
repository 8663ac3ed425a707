import type { Element, ElementContent, Root, RootContent } from 'hast'
import type { Figure } from '../../src/contract/chat.ts'

/** Where a figure of an answer leads: to its cell, or nowhere. Both are links inside the page, which open nothing. */
export const figureLink = '#figure-'
const uncomputedLink = '#not-computed'

/** Of this window: a model that could write it would pass off its own words as computed. */
const ours = `#${crypto.randomUUID()}`

/** A text of the assistant with its figures as links, for `onScreen`. */
export function withFigures(text: string, figures: readonly Figure[]): string {
  let out = ''
  let at = 0
  for (const { start, end, cell } of figures) {
    if (start < at || end > text.length) continue
    const link = ours + (cell ? figureLink + cell : `${uncomputedLink} "not computed here"`)
    out += `${text.slice(at, start)}[${text.slice(start, end)}](${link})`
    at = end
  }
  return out + text.slice(at)
}

export const withValues = (text: string, values: Readonly<Record<string, string>>): string =>
  text.includes('[') ? text.replace(/\[[A-Z][A-Z0-9_]*_\d+\]/g, token => values[token] ?? token) : text

/**
 * The tree of an answer as it is shown: values stand in the place of tokens where words are, and nowhere else. In the
 * address of a link a value would leave with it, and as Markdown it could become markup. Links inside the page are ours.
 */
export const onScreen = (tree: Root, values: Readonly<Record<string, string>>): Root => ({
  ...tree,
  children: tree.children.map(node => shown(node, text => withValues(text, values))),
})

/** The tree of what is being written, in which values stand already: none of its links leads anywhere. */
export const withoutLinks = (tree: Root): Root => ({
  ...tree,
  children: tree.children.map(node => shown(node, text => text, true)),
})

type Words = (text: string) => string

function shown<Node extends RootContent | ElementContent>(node: Node, words: Words, isLive = false): Node {
  if (node.type === 'text') return { ...node, value: words(node.value) }
  if (node.type !== 'element') return node
  const href = String(node.properties.href ?? '')
  if (node.tagName === 'a' && !isLive && !href.startsWith('#')) return node
  const { href: _, ...properties } = node.properties
  if (node.tagName === 'a' && href.startsWith(ours)) properties.href = href.slice(ours.length)
  const children = node.children.map(each => shown(each, words, isLive))
  // Code that is put into a cell keeps its tokens: a value goes into code only inside a string literal, when it runs.
  if (node.tagName === 'pre') properties.dataSource = textOf(node)
  return { ...node, properties, children }
}

const textOf = (node: Element): string =>
  node.children.map(each => (each.type === 'text' ? each.value : each.type === 'element' ? textOf(each) : '')).join('')
