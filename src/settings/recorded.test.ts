import { expect, it } from 'vitest'
import { hostsOnly } from './recorded.ts'

it('leaves of an address in the settings only its host for the record', () => {
  const change = {
    before: { alerts: { webhook: '', desktop: true } },
    after: { alerts: { webhook: 'https://hooks.example.org/services/T0/B0/verysecret?key=1', desktop: false } },
    endpoint: 'http://localhost:4318',
    list: ['https://u:p@example.org'],
  }
  expect(hostsOnly(change)).toEqual({
    ...change,
    after: { alerts: { webhook: 'https://hooks.example.org/…', desktop: false } },
    list: ['https://example.org/…'],
  })
})
