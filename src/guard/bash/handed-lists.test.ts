import { describe, expect, it } from 'vitest'
import { inspectProgram } from '../inspect.ts'

describe('a script that runs or removes what it does not name', () => {
  it('is listed as a command when it sources a file', () => {
    for (const file of ['./lib.sh', '/etc/os-release'])
      expect(inspectProgram(`. ${file}`, 'bash').impact.commands.map(({ target }) => target)).toEqual([`. ${file}`])
  })

  it.each(['xargs rm < list.txt', 'xargs -a list.txt rm', 'cat list | xargs rm'])('is above low in %j', code => {
    const { risk, impact } = inspectProgram(code, 'bash')
    expect(risk).not.toBe('low')
    expect(impact).toMatchObject({ filesDeleted: [{ target: null }], volume: 'many', reversible: 'no' })
  })
})
