import { expect, it } from 'vitest'
import { startParts } from './ready.mjs'

it('a start on a fresh machine installs the jail, Python and what people calculate with', () => {
  expect(startParts.flatMap(part => part.packages)).toEqual([
    'bubblewrap',
    'python3',
    'python3-pandas',
    'python3-numpy',
    'python3-matplotlib',
    'python3-openpyxl',
  ])
})
