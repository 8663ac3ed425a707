import { beforeEach, describe, expect, it } from 'vitest'
import { RequestId, RunId } from '../../src/contract/ids.ts'
import type { RunView } from '../../src/contract/runs.ts'
import { noteRun, useRuns } from '../state/runs.ts'
import { dropHeld, noteOwnRun, stopAsking, useAsking } from './asking.ts'

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
