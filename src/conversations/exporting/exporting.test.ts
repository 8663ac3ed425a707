import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CellId } from '../../contract/ids.ts'
import type { Output } from '../../contract/run.ts'
import { cell, desk, printed, said, value } from '../testing.ts'
import { fileNameFor } from './export.ts'
import { highlight } from './highlight.ts'
import { safeHtml } from './safe-html.ts'

const start = async (...outputs: Output[]) => {
  const at = await desk()
  const { conversations, who } = at
  const { conversation } = value(await conversations.create(who, { title: 'A <b>title</b>' }))
  const path = conversation.main
  const items = [
    said('Mail **jane@example.com** <script>alert(1)</script> ![x](https://evil.example/x.png)'),
    cell('print("jane@example.com")  # ``` <i>'),
  ]
  const [, code] = value(await conversations.insert(who, { path, items }))
  if (!code) expect.fail('nothing inserted')
  await at.run(path, code.id as CellId, code.text, outputs)
  const write = async (format: 'html' | 'markdown' | 'ipynb') =>
    value(await conversations.export(who, { path, format })).text
  return { ...at, path, write, code: code.id }
}

describe('an exported page', () => {
  it('runs nothing and loads nothing, whatever stands in it', async () => {
    const { write } = await start(
      {
        type: 'display',
        data: {
          'text/html':
            '<img src=x onerror=alert(1)><script>alert(2)</script><table><tr><td colspan="2">ok</td></tr></table>',
        },
      },
      {
        type: 'display',
        data: { 'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(3)</script></svg>' },
      },
      { type: 'display', data: { 'text/markdown': '[x](javascript:alert(4)) <iframe src="https://evil.example">' } },
      { type: 'display', data: { 'image/png': '"><script>alert(5)</script>' } },
      printed('\u001b[31m<script>alert(6)</script>\u001b[0m'),
    )
    const html = await write('html')
    expect(html).not.toMatch(/<script|<iframe|onerror=|href="javascript|src="http|<svg/i)
    expect(html).toContain('<td colspan="2">ok</td>')
    expect(html).toContain('&lt;script&gt;alert(6)&lt;/script&gt;')
    expect(html).toContain('<title>A &lt;b&gt;title&lt;/b&gt;</title>')
    expect(html).toContain("default-src 'none'; img-src data:")
  })

  it('shows tables and the data of charts as tables', async () => {
    const { write } = await start(
      { type: 'result', data: { 'application/vnd.dataresource+json': { data: [{ class: '<Retail>', rwa: 900 }] } } },
      {
        type: 'display',
        data: { 'application/vnd.vegalite.v5+json': { title: 'CET1', data: { values: [{ shock: 200 }] } } },
      },
    )
    const html = await write('html')
    expect(html).toContain('<td>&lt;Retail&gt;</td><td class="number">900</td>')
    expect(html).toContain('<figcaption>CET1 (data of the chart)</figcaption>')
  })
})

it('an exported page shows Markdown as it was written where a parser would take minutes over it', async () => {
  const { conversations, who, path, write } = await start()
  value(await conversations.insert(who, { path, items: [said('*a_ '.repeat(30_000))] }))
  expect(await write('html')).toContain(`<pre class="output">${'*a_ '.repeat(30_000)}</pre>`)
})

describe('every export', () => {
  it('passes what it carries through the egress guard, and stands on the record', async () => {
    const { write, recorded } = await start(printed('to jane@example.com'), {
      type: 'result',
      data: { 'application/json': { mail: 'jane@example.com' } },
    })
    for (const format of ['html', 'markdown', 'ipynb'] as const) {
      const text = await write(format)
      expect(text).not.toContain('jane@example.com')
      expect(text).toContain('[EMAIL_1]')
      expect(recorded.at(-1)).toMatchObject({ action: 'conversation.exported', details: { format } })
    }
  })

  it('says in Markdown that an output is not that of the code above it', async () => {
    const { write, conversations, who, path, code } = await start(printed('old'))
    expect(await write('markdown')).not.toContain('changed after this run')
    value(await conversations.changeLanguage(who, { path, item: code, language: 'bash' }))
    expect(await write('markdown')).toMatch(/> The code was changed after this run[^\n]*\n\n```text\nold/)
  })

  it('keeps Markdown fences closed against what is inside', async () => {
    const { write } = await start(printed('````\nout\n'))
    const markdown = await write('markdown')
    expect(markdown).toContain('````python\nprint("[EMAIL_1]")  # ``` <i>\n````')
    expect(markdown).toContain('`````text\n````\nout\n`````')
  })

  it('gets a file name that every system takes', () => {
    expect(fileNameFor('../..\\etc/passwd\u0000\u202E', 'main', 'ipynb')).toBe('etc passwd.ipynb')
    expect(fileNameFor('Q3: review?', 'stress +200bp', 'html')).toBe('Q3 review - stress +200bp.html')
    expect(fileNameFor('CON', 'main', 'markdown')).toBe('notebook CON.md')
    expect(fileNameFor('...', 'main', 'markdown')).toBe('notebook.md')
    expect(fileNameFor('x'.repeat(500), 'main', 'html').length).toBeLessThan(130)
  })
})

describe('safe HTML', () => {
  const cases: [string, string][] = [
    ['<p>fine <b>bold</b></p>', '<p>fine <b>bold</b></p>'],
    ['<p onclick="x()" title="t">a</p>', '<p title="t">a</p>'],
    ['<a href="java&#115;cript:alert(1)">a</a>', '<a rel="noopener noreferrer nofollow">a</a>'],
    ['<a href=" &#1; javascript:x">a</a>', '<a rel="noopener noreferrer nofollow">a</a>'],
    ['<style>p{}</style><scr<script>ipt>alert(1)</script>x', 'ipt&gt;alert(1)x'],
    ['<SCRIPT/x>a</sCript >b', 'b'],
    ['<div><table></div>x', '<div><table></table></div>x'],
    ['</div></main>a', 'a'],
    ['<!-- <script> -->a<![CDATA[x]]>', 'a'],
    ['1 < 2 > 0 &amp; &lt;', '1 &lt; 2 &gt; 0 &amp; &lt;'],
    [
      '<img src="data:image/png;base64,aGk=" onload=x><img src="https://a/b.png">',
      '<img src="data:image/png;base64,aGk="><img>',
    ],
    ['<form action=x><input type=password name=p></form>', '<input type="checkbox" disabled="">'],
    ["<p title='\"><script>'>a", '<p title="&quot;&gt;&lt;script&gt;">a</p>'],
    ['<svg><a xlink:href="javascript:x">y</a></svg>z', 'z'],
    ['<b', '<b></b>'],
  ]
  it.each(cases)('makes of %s', (given, wanted) => expect(safeHtml(given)).toBe(wanted))

  it('lets only what is on its lists through and always closes what it opens', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '=',
      '/',
      ' ',
      '<script',
      '</script>',
      '<p',
      '</p>',
      '<!--',
      '-->',
      'onx',
      'href',
      'javascript:',
      '<table>',
      '&',
      'x',
      '<img src',
      '\u0000',
    )
    const allowed = /^<\/?(?:p|table|img)(?: (?:href|src|title|alt|rel|colspan)="[^"<>]*")*>$/
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
        const out = safeHtml(pieces.join(''))
        for (const tag of out.match(/<[^>]*>?/g) ?? []) expect(tag).toMatch(allowed)
        expect(out.match(/<(p|table)\b/g)?.length ?? 0).toBe(out.match(/<\/(p|table)>/g)?.length ?? 0)
      }),
      { numRuns: 500 },
    )
  })

  it('takes no longer than the text is long', () => {
    // Processor time: what else the machine does must not count.
    const before = process.threadCpuUsage()
    for (const piece of ['<', '<a ', '<p>', '<!--', '<script>', '"<a href="', '&#', '</p', "<a b='"])
      safeHtml(piece.repeat(100_000))
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(5000)
  })
})

describe('highlighted code', () => {
  it('is the code again when the marks are taken out, whatever it is', () => {
    const code = fc.array(
      fc.constantFrom('"', "'", '`', '#', '//', '/*', '*/', '\\', '\n', 'def', ' ', '1.5', '<', '&', 'x', '"""'),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(code, fc.constantFrom('python', 'javascript', 'typescript', 'bash', 'r'), (pieces, language) => {
        const html = highlight(pieces.join(''), language)
        const text = html
          .replace(/<\/?span[^>]*>/g, '')
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&')
        expect(text).toBe(pieces.join(''))
      }),
    )
    expect(highlight('x = "a"  # note', 'python')).toBe(
      'x = <span class="s">&quot;a&quot;</span>  <span class="c"># note</span>',
    )
  })
})
