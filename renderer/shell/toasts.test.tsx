import { act } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { render } from '../output/render.testing.tsx'
import { showToast, useToasts } from '../state/toasts.ts'
import { Toasts } from './toasts.tsx'

beforeEach(() => {
  vi.useFakeTimers()
  useToasts.setState({ toasts: [] })
})
afterEach(() => vi.useRealTimers())

const texts = () => useToasts.getState().toasts.map(({ text }) => text)
const wait = (ms: number) => act(async () => vi.advanceTimersByTime(ms))

it('messages leave by themselves, problems later, and what asks for something stays', async () => {
  await render(<Toasts />)
  await act(async () => {
    showToast({ kind: 'good', text: 'done' })
    showToast({ kind: 'bad', text: 'went wrong' })
    showToast({ kind: 'info', text: 'offers', action: { label: 'Open', run: () => undefined } })
    showToast({ kind: 'info', text: 'asks', asks: true, action: { label: 'Restore', run: () => undefined } })
  })
  await wait(4_000)
  await act(async () => showToast({ kind: 'good', text: 'later' }))
  await wait(3_000)
  expect(texts()).toEqual(['went wrong', 'offers', 'asks', 'later'])
  await wait(60_000)
  expect(texts()).toEqual(['asks'])
})
