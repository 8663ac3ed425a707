import { expect, it } from 'vitest'
import { drawCharts } from './charts.ts'

const bars = {
  mark: 'bar',
  data: { values: [{ a: 'x', b: 1 }] },
  encoding: { x: { field: 'a' }, y: { field: 'b', type: 'quantitative' } },
}

it('draws charts without a browser, and leaves out those that cannot be drawn', async () => {
  const [drawn, broken, fetching, endless] = await drawCharts([
    bars,
    { mark: 7, encoding: [] },
    { ...bars, data: { url: 'file:///etc/passwd', format: { type: 'csv' } } },
    { ...bars, data: { sequence: { start: 0, stop: 1e12 } } },
  ])
  expect(drawn).toContain('<svg')
  expect(drawn).not.toContain('<script')
  expect([broken ?? null, endless ?? null]).toEqual([null, null])
  expect(fetching ?? '').not.toContain('root:')
})
