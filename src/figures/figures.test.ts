import { describe, expect, it } from 'vitest'
import { caller, codeOf, printed, value } from '../conversations/testing.ts'
import { kit } from './testing.ts'

describe('a pinned figure', () => {
  it('follows its cell: the new value after a rerun, with the old beside it', async () => {
    const { pin, told, run, main, ratio } = await kit()
    await pin('CET1')
    expect(await told()).toEqual(['CET1 12.91%'])
    await run(main, ratio, 'print(cet1)', [printed('CET1: 11.84%\n')])
    expect(await told()).toEqual(['CET1 11.84% was 12.91%'])
  })

  it('says that it is stale when its cell was changed, and why it has nothing to show', async () => {
    const { pin, told, run, main, ratio, conversations, who, figures } = await kit()
    await pin('CET1')
    const [{ revision = 0 } = {}] = value(await conversations.items(who, main, [ratio]))
    value(await conversations.edit(who, { path: main, item: ratio, text: 'print(1)', expectedRevision: revision }))
    expect(await told()).toEqual(['CET1 12.91% stale'])
    await run(main, ratio, 'print(1)', [printed('Ratio: 11.84%\n')])
    const why = async () =>
      value(await figures.list(who, main)).map(({ state }) => (state.kind === 'gone' ? state.why : state.kind))
    expect(await why()).toEqual(['place'])
    value(await conversations.clearOutputs(who, { path: main }))
    expect(await why()).toEqual(['output'])
    value(await conversations.removeItems(who, { path: main, items: [ratio] }))
    expect(await why()).toEqual(['cell'])
  })

  it('is pinned once, however often one pins it, and only where there is something', async () => {
    const { pin, told, figures, who, main, ratio } = await kit()
    expect(await pin('CET1')).toBe(await pin('CET1'))
    expect(await told()).toHaveLength(1)
    const spots = value(await figures.candidates(who, { path: main, cell: ratio, find: 'cet1' }))
    expect(spots.map(({ figure }) => figure !== null)).toEqual([true])
    const place = { kind: 'number', label: 'Nowhere', unit: '', nth: 0, of: 1 } as const
    expect(codeOf(await figures.pin(who, { path: main, cell: ratio, place, name: 'x' }))).toBe('figure.gone')
  })

  it('is pinned, renamed, moved and unpinned with a way back for each, and each is on the record', async () => {
    const { pin, told, figures, who, main, conversations, recorded } = await kit()
    const cet1 = await pin('CET1')
    const loss = await pin('Loss')
    value(await figures.rename(who, { path: main, figure: cet1, name: 'Ratio' }))
    value(await figures.move(who, { path: main, figure: loss, after: null }))
    expect(await told()).toEqual(['Loss 0.0', 'Ratio 12.91%'])
    value(await figures.unpin(who, { path: main, figure: loss }))
    const steps = [
      ['Ratio 12.91%'],
      ['Loss 0.0', 'Ratio 12.91%'],
      ['Ratio 12.91%', 'Loss 0.0'],
      ['CET1 12.91%', 'Loss 0.0'],
      ['CET1 12.91%'],
      [],
    ]
    for (const [at, step] of steps.entries()) {
      expect(await told()).toEqual(step)
      if (at < steps.length - 1) value(await conversations.undo(who, main))
    }
    for (const step of steps.toReversed().slice(1)) {
      value(await conversations.redo(who, main))
      expect(await told()).toEqual(step)
    }
    const actions = recorded.map(({ action }) => action).filter(action => action.startsWith('figure.'))
    expect(actions).toEqual(['figure.pinned', 'figure.pinned', 'figure.changed', 'figure.changed', 'figure.unpinned'])
  })

  it('takes a place between two that an undo left in one place', async () => {
    const { pin, told, figures, who, main, branch } = await kit()
    const cet1 = await pin('CET1')
    const path = await branch()
    value(await figures.unpin(who, { path, figure: cet1 }))
    await pin('Loss', path)
    value(await figures.move(who, { path: main, figure: cet1, after: null }))
    expect(await told(path)).toEqual(['Loss 0.0'])
  })
})

describe('a branch', () => {
  it('sees what was pinned when it branched off, with the values of its own runs', async () => {
    const { pin, told, run, branch, ratio, figures, who, main } = await kit()
    const cet1 = await pin('CET1')
    const path = await branch()
    await pin('Loss')
    expect(await told(path)).toEqual(['CET1 12.91% inherited'])
    await run(path, ratio, 'print(cet1)', [printed('CET1: 11.84%\n')])
    expect(await told(path)).toEqual(['CET1 11.84% inherited was 12.91%'])
    value(await figures.unpin(who, { path, figure: cet1 }))
    expect(await told(path)).toEqual([])
    expect(await told(main)).toEqual(['CET1 12.91%', 'Loss 0.0'])
  })

  it('gets back what it inherited when its own change is undone', async () => {
    const { pin, told, branch, figures, who, conversations } = await kit()
    const cet1 = await pin('CET1')
    const path = await branch()
    value(await figures.rename(who, { path, figure: cet1, name: 'Stressed' }))
    expect(await told(path)).toEqual(['Stressed 12.91%'])
    value(await conversations.undo(who, path))
    expect(await told(path)).toEqual(['CET1 12.91% inherited'])
  })

  it('does not see figures of cells beyond the branch point', async () => {
    const { pin, told, branch } = await kit()
    await pin('CET1')
    expect(await told(await branch(null))).toEqual([])
  })
})

describe('comparing', () => {
  it('sets one figure of five branches side by side, also of branches from before it was pinned', async () => {
    const { pin, run, branch, ratio, figures, who, main } = await kit()
    const paths = [main]
    for (const shock of [50, 100, 150, 200]) {
      const path = await branch()
      await run(path, ratio, 'print(cet1)', [printed(`CET1: ${(12.91 - shock / 200).toFixed(2)}%\n`)])
      paths.push(path)
    }
    await pin('CET1')
    const { rows } = value(await figures.compare(who, { paths }))
    expect(rows).toHaveLength(1)
    const shown = rows[0]?.states.map(
      ({ state }) => state.kind === 'shown' && state.value.kind === 'number' && state.value.value,
    )
    expect(shown).toEqual([12.91, 12.66, 12.41, 12.16, 11.91])
    expect(rows[0]?.states.map(({ figure }) => figure !== null)).toEqual([true, false, false, false, false])
  })

  it('refuses paths of two conversations, and of somebody else', async () => {
    const { figures, who, main, conversations } = await kit()
    const other = value(await conversations.create(who, { title: 'Other' })).conversation.main
    expect(codeOf(await figures.compare(who, { paths: [main, other] }))).toBe('request.invalid')
    expect(codeOf(await figures.compare(caller(), { paths: [main] }))).toBe('not-found')
    expect(codeOf(await figures.list(caller(), main))).toBe('not-found')
  })
})
