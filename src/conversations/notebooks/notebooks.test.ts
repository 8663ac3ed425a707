import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConversationId, PathId } from '../../contract/ids.ts'
import { cell, codeOf, desk, printed, said, value } from '../testing.ts'
import { isObject } from './format.ts'
import { readNotebook } from './read.ts'

const bytes = (notebook: unknown) =>
  new TextEncoder().encode(typeof notebook === 'string' ? notebook : JSON.stringify(notebook))
const notebook = (cells: unknown[], metadata: object = {}) => ({ nbformat: 4, nbformat_minor: 5, metadata, cells })
const code = (source: string, more: object = {}) => ({
  cell_type: 'code',
  id: 'a',
  metadata: {},
  execution_count: null,
  outputs: [],
  source,
  ...more,
})

type Desk = Awaited<ReturnType<typeof desk>>
const open = async ({ conversations, who }: Desk, file: unknown, name = 'file.ipynb') =>
  conversations.importNotebook(who, { name, bytes: bytes(file) })
const again = async ({ conversations, who }: Desk, path: PathId) =>
  JSON.parse(value(await conversations.export(who, { path, format: 'ipynb' })).text)

/** A notebook in a form in which equal files are equal: strings joined, our own metadata left out. */
function plain(value: unknown, key = ''): unknown {
  const text =
    Array.isArray(value) && value.every(each => typeof each === 'string') && !/json$/.test(key) && key !== 'traceback'
  if (text && ['source', 'text'].includes(key)) return (value as string[]).join('')
  if (text && key.includes('/')) return (value as string[]).join('')
  if (Array.isArray(value)) return value.map(each => plain(each))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (name === 'countersign' ? [] : [[name, plain(each, name)]])),
  )
}

describe('a notebook that is opened and exported', () => {
  it('is the same again: cells, unknown metadata, every MIME type of every output', async () => {
    const at = await desk()
    const file = notebook(
      [
        {
          cell_type: 'markdown',
          id: 'intro',
          metadata: { tags: ['x'] },
          source: ['# Title\n', 'text'],
          attachments: { 'a.png': { 'image/png': 'aGk=' } },
        },
        code('x = 1\nx', {
          id: 'calc',
          metadata: { collapsed: true, custom: { deep: [1, { a: null }] } },
          execution_count: 7,
          outputs: [
            { output_type: 'stream', name: 'stderr', text: ['warn\n', 'more'] },
            {
              output_type: 'display_data',
              data: {
                'text/html': ['<b>\n', 'x</b>'],
                'application/json': ['a', 'b'],
                'application/vnd.plotly.v1+json': { data: [] },
              },
              metadata: { isolated: true },
              transient: { display_id: 'd' },
            },
            {
              output_type: 'execute_result',
              execution_count: 7,
              data: { 'text/plain': '1', 'image/png': 'aGk=\n' },
              metadata: {},
            },
            { output_type: 'error', ename: 'ValueError', evalue: 'no', traceback: ['\u001b[31mline\u001b[0m', 'two'] },
          ],
        }),
        { cell_type: 'raw', id: 'raw-1', metadata: { format: 'text/x-rst' }, source: '.. note::' },
        code('ls', { id: 'sh', metadata: { vscode: { languageId: 'shellscript' } } }),
      ],
      { kernelspec: { name: 'ir', language: 'R', display_name: 'R' }, authors: [{ name: 'A' }] },
    )
    const { conversation } = value(await open(at, file))
    expect(plain(await again(at, conversation.main))).toEqual(plain(file))
    const shown = await at.items(conversation.main)
    expect(shown.map(item => item.kind === 'cell' && item.language)).toEqual(['markdown', 'r', 'raw', 'bash'])
  })

  it('is the same again whatever JSON its metadata and outputs are made of', async () => {
    const at = await desk()
    // A key that would change what an object is does not get through the parser at the boundary.
    const json = fc.jsonValue({ maxDepth: 3 }).filter(made => !JSON.stringify(made).includes('"__proto__"'))
    const object = fc.dictionary(
      fc
        .string({ minLength: 1, maxLength: 8 })
        .filter(
          key =>
            key !== '__proto__' &&
            key !== 'countersign' &&
            key !== 'vscode' &&
            key !== 'text' &&
            key !== 'source' &&
            !key.includes('/'),
        ),
      json,
      { maxKeys: 3 },
    )
    const cells = fc.array(fc.record({ source: fc.string({ unit: 'grapheme' }), metadata: object, result: json }), {
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(cells, object, async (list, metadata) => {
        const made = list.map(({ source, metadata: own, result }, index) =>
          code(source, {
            id: `c${index}`,
            metadata: own,
            outputs: [{ output_type: 'display_data', data: { 'application/json': result }, metadata: {} }],
          }),
        )
        const { conversation } = value(
          await open(at, notebook(made, { ...metadata, kernelspec: { language: 'python' } })),
        )
        const file = await again(at, conversation.main)
        // Through JSON, in which -0 is 0.
        const wanted = JSON.parse(JSON.stringify(notebook(made, { ...metadata, kernelspec: { language: 'python' } })))
        expect(plain(file)).toEqual(plain(wanted))
      }),
      { numRuns: 40 },
    )
  })

  it('brings back its tree: branches, authors, languages, what each path changed, moved and removed', async () => {
    const at = await desk()
    const { conversations, who } = at
    const { conversation } = value(await conversations.create(who, { title: 'Review' }))
    const main = conversation.main
    const items = value(
      await conversations.insert(who, { path: main, items: [said('Q?'), cell('a'), cell('b'), cell('ls', 'bash')] }),
    )
    const [, a, b, ls] = items.map(item => item.id)
    if (!a || !b || !ls) expect.fail('no items')
    await at.run(main, a as never, 'a', [printed('1\n')])
    const stress = value(await conversations.branch(who, { path: main, after: ls, name: 'stress' })).id
    const revision = (await at.items(stress))[2]?.revision ?? 0
    value(await conversations.edit(who, { path: stress, item: b, text: 'b * 2', expectedRevision: revision }))
    value(await conversations.removeItems(who, { path: stress, items: [a] }))
    value(await conversations.move(who, { path: stress, items: [ls], after: null }))
    value(
      await conversations.insert(who, {
        path: stress,
        items: [{ kind: 'message', author: 'assistant', text: 'done' }],
      }),
    )
    value(await conversations.edit(who, { path: main, item: a, text: 'a2', expectedRevision: items[1]?.revision ?? 0 }))
    const deeper = value(await conversations.branch(who, { path: stress, after: b, name: 'deeper' })).id
    value(await conversations.archivePath(who, deeper))
    const gone = value(await conversations.branch(who, { path: main, after: null, name: 'gone' })).id
    value(await conversations.deletePath(who, gone))
    for (const shown of [main, stress]) {
      const file = value(await conversations.export(who, { path: shown, format: 'ipynb' }))
      const opened = value(await conversations.importNotebook(who, { name: file.fileName, bytes: bytes(file.text) }))
      expect(opened.notices).toEqual([])
      expect(await outline(at, opened.conversation.id)).toEqual(await outline(at, conversation.id))
    }
  })
})

async function outline({ conversations, who, items }: Desk, id: ConversationId) {
  const { conversation, paths } = value(await conversations.tree(who, id))
  const names = new Map(paths.map(path => [path.id, path.name]))
  const list = []
  for (const { id: path, name, parent, state, itemCount } of paths) {
    const shown = (await items(path)).map(item => [
      item.kind,
      item.author,
      item.text,
      item.kind === 'cell' && item.language,
      item.kind === 'cell' && item.lastRun && [item.lastRun.count, item.lastRun.stale, item.lastRun.durationMs],
      item.kind === 'cell' && item.lastRun?.outputs.map(output => output.whole && output.output),
    ])
    list.push({ name, parent: parent && names.get(parent), state, itemCount, shown })
  }
  return { title: conversation.title, list }
}

describe('a notebook from the wild', () => {
  it('opens in format 3, with its worksheets, headings and old outputs', async () => {
    const at = await desk()
    const file = {
      nbformat: 3,
      nbformat_minor: 0,
      metadata: { name: 'old' },
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: ['Part'], metadata: {} },
            {
              cell_type: 'code',
              language: 'python',
              input: ['1 +\n', ' 1'],
              prompt_number: 4,
              collapsed: false,
              outputs: [
                { output_type: 'pyout', prompt_number: 4, text: ['2'], png: 'aGk=', metadata: {} },
                { output_type: 'stream', stream: 'stdout', text: 'hi' },
                { output_type: 'pyerr', ename: 'E', evalue: 'v', traceback: ['t'] },
              ],
            },
          ],
        },
      ],
    }
    const { conversation } = value(await open(at, file))
    const items = await at.items(conversation.main)
    expect(items.map(item => item.text)).toEqual(['## Part', '1 +\n 1'])
    expect(items[1]).toMatchObject({
      lastRun: {
        count: 4,
        outputs: [
          { output: { type: 'result', data: { 'text/plain': '2', 'image/png': 'aGk=' } } },
          { output: { type: 'stream', text: 'hi' } },
          { output: { type: 'error', error: { name: 'E', message: 'v' } } },
        ],
      },
    })
  })

  it('opens in format 2, whose lines came without line breaks', async () => {
    const at = await desk()
    const output = { output_type: 'pyout', prompt_number: 1, text: ['1', '2'] }
    const cells = [
      { cell_type: 'markdown', source: ['# A', '', 'b'] },
      { cell_type: 'code', input: ['x', 'y'], prompt_number: 1, outputs: [output] },
    ]
    const { conversation } = value(await open(at, { nbformat: 2, worksheets: [{ cells }] }))
    expect(await at.texts(conversation.main)).toEqual(['# A\n\nb', 'x\ny'])
    expect(JSON.stringify((await at.items(conversation.main))[1])).toContain('"text/plain":"1\\n2"')
  })

  it('gives cells with the same or an unusable id new ones and says so', async () => {
    const at = await desk()
    const { conversation, notices } = value(await open(at, notebook([code('1'), code('2'), code('3', { id: '../x' })])))
    expect(await at.texts(conversation.main)).toEqual(['1', '2', '3'])
    expect(notices).toEqual(['Cell 2 had the id “a” of an earlier cell and was given a new one.'])
    const ids = (await again(at, conversation.main)).cells.map((each: { id: string }) => each.id)
    expect(new Set(ids).size).toBe(3)
  })

  it('opens without what others leave out, with a byte order mark, and with outputs of unknown kinds', async () => {
    const at = await desk()
    const odd = { output_type: 'from_the_future', payload: [1] }
    const file = `\uFEFF${JSON.stringify({ nbformat: 4, cells: [{ cell_type: 'code', outputs: [odd] }, { cell_type: 'markdown' }] })}`
    const { conversation } = value(await open(at, file))
    expect(await at.texts(conversation.main)).toEqual(['', ''])
    expect((await again(at, conversation.main)).cells[0].outputs).toEqual([odd])
  })

  it('opens as one path when its record of branches makes no sense', async () => {
    const at = await desk()
    const path = { name: 'main', parent: null, after: null, archived: false, cells: ['a'] }
    const own = { version: 1, title: 'T', path: 0, paths: [path], cells: [] }
    const wrong = [
      { ...own, version: 2 },
      { ...own, path: 9 },
      { ...own, paths: [path, { ...path, parent: 1 }] },
      { ...own, paths: [{ ...path, parent: 0 }] },
      { ...own, cells: [{ cell_type: 'nonsense' }] },
      'text',
    ]
    for (const countersign of wrong) {
      const opened = value(await open(at, notebook([code('1')], { countersign })))
      expect(opened.notices).toHaveLength(1)
      expect(await at.texts(opened.conversation.main)).toEqual(['1'])
    }
    const twins = [
      code('1', { metadata: { countersign: { of: 'x' } } }),
      code('2', { id: 'b', metadata: { countersign: { of: 'x' } } }),
    ]
    for (const metadata of [{}, { countersign: own }]) {
      expect(await at.texts(value(await open(at, notebook(twins, metadata))).conversation.main)).toEqual(['1', '2'])
    }
  })

  it('takes its title from a file name, whatever that holds', async () => {
    const at = await desk()
    const title = async (name: string) => value(await open(at, notebook([]), name)).conversation.title
    expect(await title('../../etc/Q3\u202E review\u0000.ipynb')).toBe('Q3 review')
    expect(await title('C:\\data\\tax.IPYNB')).toBe('tax')
    expect(await title('..')).toBe('Imported notebook')
  })
})

describe('a file that is no notebook', () => {
  it('is refused in words, and nothing is left behind', async () => {
    const at = await desk()
    const cases: [string, unknown][] = [
      ['notebook.unreadable', '{"cells": ['],
      ['notebook.unreadable', ''],
      ['notebook.invalid', '[]'],
      ['notebook.invalid', '{}'],
      ['notebook.invalid', notebook([3])],
      ['notebook.invalid', notebook([{ cell_type: 'code', source: { a: 1 } }])],
      ['notebook.invalid', notebook([{ cell_type: 'spell', source: '' }])],
      ['notebook.invalid', '['.repeat(100_000)],
      ['notebook.invalid', `{"nbformat":4,"cells":[],"metadata":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`],
      ['notebook.unsupported', { nbformat: 1, cells: [] }],
      ['notebook.unsupported', { nbformat: 5, cells: [] }],
      ['notebook.too-large', notebook([code('x'.repeat(2_000_001))])],
    ]
    for (const [wanted, file] of cases)
      expect(codeOf(await open(at, file)), JSON.stringify(file).slice(0, 60)).toBe(wanted)
    const binary = await at.conversations.importNotebook(at.who, {
      name: 'x',
      bytes: new Uint8Array([0xff, 0xfe, 0x00]),
    })
    expect(codeOf(binary)).toBe('notebook.unreadable')
    expect(await at.conversations.list(at.who)).toEqual([])
    expect(at.recorded).toEqual([])
  })

  it('never throws, whatever the bytes', () => {
    const shapes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map(bytes),
      fc.array(fc.jsonValue()).map(cells => bytes(notebook(cells))),
      fc.array(fc.jsonValue()).map(outputs => bytes(notebook([code('', { outputs })]))),
      fc.array(fc.jsonValue()).map(cells => bytes({ nbformat: 3, worksheets: [{ cells }] })),
    )
    fc.assert(
      fc.property(shapes, file => {
        const outcome = readNotebook(file, () => 'id')
        expect(outcome.ok || outcome.problem.hint.length > 0).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('opens fifty megabytes in a thread of its own', async () => {
    const at = await desk()
    const picture = 'A'.repeat(1_000_000)
    const cells = Array.from({ length: 50 }, (_, index) =>
      code(`plot(${index})`, {
        id: `c${index}`,
        outputs: [{ output_type: 'display_data', data: { 'image/png': picture }, metadata: {} }],
      }),
    )
    const { conversation } = value(await open(at, notebook(cells)))
    const items = await at.items(conversation.main)
    expect(items).toHaveLength(50)
    expect(items[49]).toMatchObject({ lastRun: { outputs: [{ whole: false, mimeTypes: ['image/png'] }] } })
  })
})
