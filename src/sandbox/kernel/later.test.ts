import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { resource } from '../../places.ts'
import { temporaryFolder } from '../../storage/testing.ts'

const inPython = (folder: string, code: string): string =>
  // Without what a machine adds to every start of Python.
  execFileSync(
    'python3',
    ['-S', '-c', `import sys\nsys.path.append(${JSON.stringify(resource('kernels'))})\n${code}`],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  ).trim()

it('loads no module that only some cells need before one of them needs it', () => {
  const names = ['asyncio', 'decimal', 'hashlib', 'inspect', 'pydoc', 'statistics', 'subprocess']
  const code = `from _cellkernel import kernel\nprint([n for n in ${JSON.stringify(names)} if n in sys.modules])`
  expect(inPython(temporaryFolder(), code)).toBe('[]')
  expect(inPython(temporaryFolder(), `${code}\nprint(kernel.asyncio.sleep.__module__)`)).toBe('[]\nasyncio.tasks')
})

it('does not take a file of the working folder for a module of Python', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'statistics.py'), 'raise SystemError("the wrong one")')
  const code = 'from _cellkernel import later\nprint(later.later("statistics").fmean([1, 3]), sys.path[0] == "")'
  expect(inPython(folder, code)).toBe('2.0 True')
})
