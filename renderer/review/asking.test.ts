import { beforeEach, describe, expect, it } from 'vitest'
import { RequestId, RunId } from '../../src/contract/ids.ts'
import type { RunView } from '../../src/contract/runs.ts'
import { showAlert } from '../audit/state.ts'
import { noteRun, useRuns } from '../state/runs.ts'
import { useToasts } from '../state/toasts.ts'
import { dropHeld, noteOwnRun, startOwn, stopAsking, useAsking } from './asking.ts'

const run = RunId.parse('01a1e342-0a68-7207-ad0b-dd39c75bc396')
const request = RequestId.parse('01a1e342-0a68-7207-ad0b-dd39c75bc397')
const view = (state: RunView['state']) => ({ run, state, request, cell: null, path: 'p' }) as unknown as RunView
const asked = () => useAsking.getState().asked

beforeEach(() => {
  useAsking.setState({ own: new Set(), asked: [], held: [] })
  useRuns.setState({ runs: new Map() })
})

describe('the dialog', () => {
  it('opens for a run of this window, whether it waits before or after its start is answered', () => {
    noteRun(view('waiting'))
    noteOwnRun({ run })
    expect(asked()).toEqual([request])
    stopAsking(request)
    noteOwnRun({ run })
    noteRun(view('waiting'))
    expect(asked()).toEqual([request])
  })

  it('offers the ways on for a run of this window that needs a stronger sandbox, until it is left', () => {
    noteOwnRun({ run })
    noteRun(view('held'))
    noteRun(view('held'))
    expect(useAsking.getState().held.map(each => each.run)).toEqual([run])
    dropHeld(run)
    noteRun(view('held'))
    expect(useAsking.getState().held).toEqual([])
  })

  it('does not open for a run of somebody else', () => {
    noteRun(view('waiting'))
    expect(asked()).toEqual([])
  })

  it('stays when the request is decided elsewhere, to say so', () => {
    noteOwnRun({ run })
    noteRun(view('waiting'))
    noteRun(view('refused'))
    expect(asked()).toEqual([request])
  })

  it('does not open again by itself once it was closed', () => {
    noteOwnRun({ run })
    noteRun(view('waiting'))
    stopAsking(request)
    noteRun(view('waiting'))
    expect(asked()).toEqual([])
  })
})

describe('an alert', () => {
  const alert = {
    rule: 'risky-run',
    level: 'warning',
    title: 'Code of high risk was started',
    text: '',
    at: 0,
    seq: 1,
  } as const
  const shown = () => useToasts.getState().toasts.length
  beforeEach(() => useToasts.setState({ toasts: [] }))

  it('is not shown to the window that started the run, also when it comes before the answer to the start', async () => {
    const { promise, resolve } = Promise.withResolvers<RunView>()
    const started = startOwn(promise)
    const told = showAlert({ ...alert, run })
    resolve(view('inspecting'))
    await Promise.all([started, told])
    expect(shown()).toBe(0)
  })

  it('is shown to everybody else', async () => {
    await showAlert({ ...alert, run: RunId.parse('01a1e342-0a68-7207-ad0b-dd39c75bc399') })
    await showAlert({ ...alert, run: null })
    expect(shown()).toBe(2)
  })
})
