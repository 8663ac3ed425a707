import { afterEach, describe, expect, it } from 'vitest'
import type { MimeBundle, Output } from '../../src/contract/run.ts'
import { withoutPassing } from './blocks.ts'
import { Outputs } from './output.tsx'
import { type Page, recorded, render } from './render.testing.tsx'

let page: Page
afterEach(() => page.undo())

async function shown(outputs: Output[]) {
  const { actions, asked } = recorded()
  page = await render(<Outputs outputs={outputs} actions={actions} />)
  return { asked, actions }
}
const display = (data: MimeBundle, metadata?: MimeBundle): Output => ({
  type: 'display',
  data,
  ...(metadata && { metadata }),
})
const stream = (text: string, name: 'stdout' | 'stderr' = 'stdout'): Output => ({ type: 'stream', name, text })

describe('text', () => {
  it('joins neighbouring chunks of a stream and keeps the order of all else', async () => {
    await shown([
      stream('a'),
      stream('b\n'),
      stream('oops', 'stderr'),
      stream('c'),
      { type: 'notice', text: 'state was lost' },
    ])
    const groups = Array.from(page.place.querySelectorAll('[role=group]'), group => [
      group.getAttribute('aria-label'),
      group.textContent,
    ])
    expect(groups).toEqual([
      ['Standard output', 'ab'],
      ['Standard error', 'oops'],
      ['Standard output', 'c'],
    ])
    expect(page.find('[role=note]').textContent).toContain('state was lost')
  })

  it('follows a run that goes on writing, also when a line is written over', async () => {
    const { actions } = await shown([stream('10 %')])
    await page.show(<Outputs actions={actions} outputs={[stream('10 %'), stream('\r100 %\ndone')]} />)
    expect(page.find('[role=group]').textContent).toBe('100 %done')
    await page.show(<Outputs actions={actions} outputs={[stream('again')]} />)
    expect(page.find('[role=group]').textContent).toBe('again')
  })

  it('folds long text between its start and its end', async () => {
    const { asked } = await shown([stream(Array.from({ length: 1240 }, (_, line) => `line ${line + 1}`).join('\n'))])
    const text = page.find('[role=group]').textContent
    expect(text).toContain('line 1line 2')
    expect(text).toContain('line 1240')
    expect(text).not.toContain('line 600')
    expect(page.button('Show all 1,240 lines').getAttribute('aria-expanded')).toBe('false')
    await page.click(page.button('Save'))
    const [[, name, , blob]] = asked as [[string, string, string, Blob]]
    expect(name).toBe('output.txt')
    expect((await blob.text()).split('\n')).toHaveLength(1240)
    await page.click(page.button('Show all 1,240 lines'))
    expect(page.button('Fold 1,240 lines').getAttribute('aria-expanded')).toBe('true')
  })

  it('claims to have all lines only where no more were printed', async () => {
    const lines = stream(Array.from({ length: 1240 }, (_, line) => `line ${line + 1}`).join('\n'))
    const { actions } = await shown([lines, { type: 'notice', text: 'The record keeps the first part.', cut: true }])
    page.button('Show the first 1,240 lines')
    const passing = { type: 'notice', text: 'More is printed than can be shown.', passing: true } as const
    expect(withoutPassing([lines, passing])).toEqual([lines])
    await page.show(<Outputs actions={actions} outputs={[lines, passing]} />)
    page.button('Show the first 1,240 lines')
  })

  it('folds ten megabytes without a line end', async () => {
    await shown([stream('x'.repeat(10_000_000))])
    expect(page.find('[role=group]').textContent.length).toBeLessThan(20_000)
  })
})

describe('errors', () => {
  it('link to the line of this cell and of others', async () => {
    const { asked } = await shown([
      {
        type: 'error',
        error: {
          kind: 'runtime',
          name: 'ValueError',
          message: 'no',
          line: 4,
          traceback: ['  File \u001b[35m"<cell 2>"\u001b[0m, line \u001b[35m7\u001b[0m, in ratio', 'Cell line 9'],
        },
      },
    ])
    await page.click(page.button('Line 4'))
    await page.click(page.find('[title="Go to line 7"]'))
    await page.click(page.find('[title="Go to line 9"]'))
    expect(asked).toEqual([
      ['line', 4],
      ['line', 7, 2],
      ['line', 9, undefined],
    ])
  })

  it('are none when a person stopped the run, which is said once', async () => {
    const error = {
      kind: 'killed',
      name: 'Interrupted',
      message: 'The run was stopped.',
      traceback: ['KeyboardInterrupt'],
    }
    await shown([{ type: 'error', error } as Output])
    expect(page.place.textContent?.trim()).toBe('The run was stopped.')
    expect(page.place.querySelector('[aria-label^="Error"]')).toBeNull()
  })

  it('say what happened when there is no traceback', async () => {
    await shown([{ type: 'error', error: { kind: 'memory', name: 'Memory', message: '512 MB', traceback: [] } }])
    expect(page.place.textContent).toContain('needed too much memory')
  })
})

describe('a display', () => {
  it('shows its richest form', async () => {
    await shown([display({ 'text/plain': 'plain', 'text/markdown': '**rich**' })])
    expect(page.find('strong').textContent).toBe('rich')
    expect(page.place.textContent).not.toContain('plain')
  })

  it('shows a table with all that there is to know of its size', async () => {
    const type = 'application/vnd.dataresource+json'
    await shown([
      display(
        { [type]: { schema: { fields: [{ name: 'a', type: 'integer' }] }, data: [{ a: 1 }] } },
        { [type]: { rows: 500 } },
      ),
    ])
    expect(page.find('[role=status]').textContent).toContain('Showing 1 of 500 rows')
  })

  it('falls back to text when a form is not what its type says', async () => {
    await shown([display({ 'application/vnd.dataresource+json': 'not a table', 'text/plain': 'the plain form' })])
    expect(page.place.textContent).toContain('could not be shown as Table')
    expect(page.place.textContent).toContain('the plain form')
  })

  it('saves an image as the bytes that it is', async () => {
    const { asked } = await shown([display({ 'image/png': 'iVBO\nRw==' })])
    expect(page.find('img').getAttribute('src')).toBe('data:image/png;base64,iVBORw==')
    expect(page.find('img').getAttribute('alt')).toBe('Image made by this cell')
    await page.click(page.button('Save image'))
    const [[, name, mime, blob]] = asked as [[string, string, string, Blob]]
    expect([name, mime, blob.size]).toEqual(['output.png', 'image/png', 4])
  })

  it('does not let an image carry anything but base64', async () => {
    await shown([display({ 'image/png': 'x" onerror="alert(1)' })])
    expect(page.place.querySelector('img')).toBeNull()
    expect(page.place.textContent).toContain('damaged')
  })

  it('says what an unknown type is and saves it under a name of its own', async () => {
    const { asked } = await shown([display({ 'application/x-evil; name=../../etc/passwd': 'AAAA' })])
    expect(page.place.textContent).toContain('application/x-evil')
    await page.click(page.button('Save'))
    expect((asked[0] as unknown[]).slice(0, 3)).toEqual(['save', 'output.bin', 'application/x-evil'])
  })

  it('never runs a script that comes as one', async () => {
    await shown([
      display({ 'application/javascript': 'window.ran = true' }),
      display({ 'text/javascript': 'window.ran = true' }),
    ])
    expect('ran' in window).toBe(false)
    expect(page.place.querySelector('script')).toBeNull()
  })
})

describe('Markdown', () => {
  it('fetches nothing, runs nothing and opens nothing by itself', async () => {
    const text = [
      '![far](https://example.com/x.png) ![near](data:image/png;base64,AAAA)',
      '<script>window.ran = 1</script><img src=x onerror="window.ran = 1">',
      '[bad](javascript:window.ran=1) [file](file:///etc/passwd) [good](https://example.com/)',
    ].join('\n\n')
    const { asked } = await shown([display({ 'text/markdown': text })])
    expect(Array.from(page.place.querySelectorAll('img'), image => image.getAttribute('src'))).toEqual([
      'data:image/png;base64,AAAA',
    ])
    expect(page.place.querySelector('script')).toBeNull()
    expect(Array.from(page.place.querySelectorAll('a'), link => link.getAttribute('href'))).toEqual([
      'https://example.com/',
    ])
    await page.click(page.find('a'))
    expect(asked).toEqual([['link', 'https://example.com/']])
    expect('ran' in window).toBe(false)
  })

  it('shows the source of what it cannot set, and takes nothing else with it', async () => {
    await shown([display({ 'text/markdown': `${'>'.repeat(20_000)} x` }), stream('still here')])
    expect(page.place.querySelector('blockquote')).toBeNull()
    expect(page.find('[aria-label="Markdown source"]').textContent).toContain('>>>')
    expect(page.place.textContent).toContain('still here')
  })
})

describe('HTML', () => {
  it('stands in a sandbox without an origin, and its scripts wait', async () => {
    await shown([display({ 'text/html': '<b>hi</b><script>parent.ran = 1</script>' })])
    const frame = page.find('iframe')
    expect(frame.getAttribute('sandbox')).toBe('allow-scripts')
    expect(frame.hasAttribute('srcdoc')).toBe(false)
    expect(page.place.textContent).toContain('not running')
    expect(page.button('Run them in isolation')).toBeTruthy()
  })

  it('asks nothing when there is nothing to run', async () => {
    await shown([display({ 'text/html': '<b>hi</b>' }), display({ 'image/svg+xml': '<?xml version="1.0"?><svg/>' })])
    expect(page.place.querySelectorAll('iframe')).toHaveLength(2)
    expect(page.place.textContent).not.toContain('not running')
  })
})
