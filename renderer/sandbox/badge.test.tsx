import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { expect, it, onTestFinished, vi } from 'vitest'
import { useNow } from './badge.tsx'

function Left({ until }: { until: number }) {
  return <p>{Math.ceil((until - useNow(500)) / 1000)}</p>
}

it('a wait that began between two ticks never seems longer than it is', () => {
  vi.useFakeTimers({ now: 1_000_000 })
  const place = document.createElement('div')
  const root = createRoot(place)
  onTestFinished(() => {
    flushSync(() => root.unmount())
    vi.useRealTimers()
  })
  flushSync(() => root.render(<Left until={0} />))
  vi.setSystemTime(1_000_400)
  flushSync(() => root.render(<Left until={1_100_400} />))
  expect(place.textContent).toBe('100')
  flushSync(() => void vi.advanceTimersByTime(1000))
  expect(place.textContent).toBe('99')
})
