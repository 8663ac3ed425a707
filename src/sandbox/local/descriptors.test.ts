import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const kernels = join(import.meta.dirname, '../../../resources/kernels')

/** A process that holds one thing open besides its streams, and what the last look before a copy is handed over says. */
const check = (opening: string) => `
import os, select, signal, socket, sys, tempfile
sys.path.insert(0, ${JSON.stringify(kernels)})
from countersign import forking
# Whoever started this may have left something open as well.
marks = {forking.identity(os.fstat(fd)) for fd in range(256) if os.path.exists(f"/proc/self/fd/{fd}")}
ready, told = os.pipe()
pid = os.fork()
if pid == 0:
    os.close(ready)
    held = ${opening}
    os.write(told, b".")
    os.dup2(1, told)
    signal.pause()
os.close(told)
os.read(ready, 1)
while os.read(ready, 1): pass
try:
    forking.check_descriptors(pid, marks, os.stat(tempfile.gettempdir()).st_dev, -1)
    print("known")
except forking.CannotFork as error:
    print(error)
finally:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
`
const seen = (opening: string) => execFileSync('python3', ['-c', check(opening)], { encoding: 'utf8' }).trim()

it.skipIf(process.platform !== 'linux').each([
  ['a socket', 'socket.socketpair()[0]'],
  ['a pipe', 'os.pipe()'],
  ['a list of descriptors to wait for', 'select.epoll()'],
  ['a folder', 'os.open("/", os.O_RDONLY)'],
  ['a way to a folder', 'os.open("/", os.O_PATH)'],
  ['memory with a name', 'os.memfd_create("shared")'],
])('finds %s that a copy would have in common with its original', (_, opening) => {
  expect(seen(opening)).toContain('holds something open that cannot be copied')
})

it.skipIf(process.platform !== 'linux').each([
  ['nothing', 'None'],
  ['a memory device', 'open("/dev/null")'],
  ['a file of its own disk', 'tempfile.TemporaryFile()'],
])('has nothing against %s', (_, opening) => {
  expect(seen(opening)).toBe('known')
})
