import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

it('gives test files that replace a module a process of their own', () => {
  const config = readFileSync(join(root, 'vitest.config.ts'), 'utf8')
  const replacing = globSync('{src,renderer,electron,resources}/**/*.test.{ts,tsx}', { cwd: root }).filter(file =>
    /^vi\.(mock|doMock|hoisted)\(|\bvi\.stubGlobal\(/m.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(replacing.length).toBeGreaterThan(0)
  // Add it to `withMocks`: in a shared process the module may have been loaded before.
  expect(replacing.filter(file => !config.includes(`'${file}'`))).toEqual([])
})
