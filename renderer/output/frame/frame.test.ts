import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hasScripts, isWebLink, readMessage } from './messages.ts'

const page = readFileSync(join(import.meta.dirname, 'frame.html'), 'utf8')
const policies = Array.from(page.matchAll(/Content-Security-Policy"\s+content="([^"]+)"/g), match => match[1] ?? '')

describe('the page around HTML output', () => {
  it('lets nothing start but its own script, by the hash of that very script', () => {
    const script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1] ?? ''
    const hash = createHash('sha256').update(script).digest('base64')
    expect(policies[0]).toContain(`script-src 'sha256-${hash}' 'strict-dynamic'`)
  })

  it('allows no host anywhere', () => {
    expect(policies).toHaveLength(2)
    expect(policies[0]).toMatch(/^default-src 'none';/)
    for (const policy of policies)
      expect(policy).not.toMatch(/https?:|\*|'self'|blob:|unsafe-eval|connect-src|frame-src/)
  })
})

describe('what comes out of the page', () => {
  it('is a height or a link, and nothing else is heard', () => {
    expect(readMessage({ height: 120.4, other: 1 })).toEqual({ height: 120 })
    expect(readMessage({ height: -5 })).toEqual({ height: 0 })
    expect(readMessage({ link: 'https://example.com' })).toEqual({ link: 'https://example.com' })
    for (const bad of [
      { height: Number.NaN },
      { height: Infinity },
      { height: '9' },
      { link: 'x'.repeat(5000) },
      { link: {} },
    ]) {
      expect(readMessage(bad)).toEqual({})
    }
    for (const bad of [null, 'height', 5, undefined]) expect(readMessage(bad)).toBeNull()
  })

  it('can only name places on the web', () => {
    expect(['https://a.example/', 'http://a.example', 'mailto:a@b.example'].every(isWebLink)).toBe(true)
    expect(
      ['javascript:1', 'file:///etc', 'data:text/html,x', '//a.example', '/x', 'https://', ' https://a'].some(
        isWebLink,
      ),
    ).toBe(false)
  })
})

it('sees scripts in whatever way they are written', () => {
  expect(['<script>', '<SCRIPT src=x>', '<script\n>', '<svg><script/></svg>'].every(hasScripts)).toBe(true)
  expect(hasScripts('<p>description of a script</p>')).toBe(false)
})
