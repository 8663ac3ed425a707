import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../storage/testing.ts'

it('closes sandboxes that wait in the pool although nothing else keeps the process alive', () => {
  const at = (file: string) => JSON.stringify(join(import.meta.dirname, file))
  const program = `
    const { localProvider } = await import(${at('local.ts')})
    const { systemClock } = await import(${at('../../clock.ts')})
    const { uuidV7 } = await import(${at('../../ids.ts')})
    const home = ${JSON.stringify(temporaryFolder())}
    const provider = localProvider({ home, clock: systemClock, ids: uuidV7(systemClock), pool: { size: 1 } })
    await provider.warm('python')
    await provider.close()
    console.log('closed')`
  const said = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  expect(said.trim()).toBe('closed')
})
