import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { resource } from '../../places.ts'

it('a question that takes too much memory ends, and with it what it has started; the kernel where that is not enough', () => {
  const code = `
import sys
from types import SimpleNamespace as Some
sys.path.insert(0, ${JSON.stringify(resource('kernels'))})
from countersign.questioning import Questions
done = []
note = lambda what: lambda *_: done.append(what)
class Kernel:
    language, pid = "python", 7
    send = note("asked"); await_rest = note("rests")
kernel = Kernel()
def ask(sizes):
    memory = iter(sizes)
    running = Some(memory_of=lambda pids, idle: (0, next(memory) > 256), run=None)
    supervisor = Some(running=running, busy=False, patience=0, kernels={"python": kernel}, kernel=lambda _: kernel,
        others=lambda: [8, 9], kill_others=note("ended others"), drop=note("ended kernel"), put_to_rest=note("stopped"),
        refuse=lambda request, code, message: done.append(message))
    questions = Questions(supervisor)
    questions.ask({"type": "ask", "n": 1, "what": "variables", "language": "python", "offset": 0}, b"")
    questions.on_time()
    while questions.asking and sizes: questions.on_time()
    print(*done, sep="; "); done.clear()
ask([100, 300, 100])
ask([300, 300])`
  expect(execFileSync('python3', ['-c', code], { encoding: 'utf8' }).split('\n')).toEqual([
    'asked; ended others; The kernel could not say: it took too much memory.; ended others; rests; stopped',
    'asked; ended others; ended kernel; The kernel could not say: it took too much memory.; ended others; rests; stopped',
    '',
  ])
})
