import { execFileSync, spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { resource } from '../../places.ts'

/** Some systems let only bubblewrap make them, which keeps the right that is needed here to itself. */
const canMakeNamespaces = spawnSync('unshare', ['-Ur', 'true']).status === 0

/** As the first process of a namespace, with the right to say which number is given out next. */
const first = (code: string) => `
import os, signal, sys
sys.path.insert(0, ${JSON.stringify(resource('kernels'))})
from countersign import census, jail, measure
def next_number(number):
    with open("/proc/sys/kernel/ns_last_pid", "w") as file: file.write(str(number - 1))
def begin():
    pid = os.fork()
    if pid == 0: signal.pause()
    return pid
def end(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
lists = []
list_all = measure.others
measure.others = lambda *given: lists.append(1) or list_all(*given)
uid, gid = os.getuid(), os.getgid()
child = jail.clone(jail.ALL)
if child: sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
jail.map_ids(uid, gid)
jail.mount(None, "/", None, jail.MS_REC | jail.MS_PRIVATE)
jail.mount("proc", "/proc", "proc")
count = census.Census()
${code}
os._exit(0)
`
const run = (code: string) => execFileSync('python3', ['-u', '-c', first(code)], { encoding: 'utf8' }).trim()

it.skipIf(!canMakeNamespaces)('lists processes only when something has begun since nobody was there', () => {
  const code = `
for _ in range(3): print(count.others(set(), ()), len(lists))
one = begin()
print(count.others({one}, ()), len(lists), count.others({one}, ()), len(lists))
two = begin()
print(count.others({one}, ()) == [two], count.others({one}, ()) == [two], len(lists))
end(two)
print(count.others({one}, ()), len(lists), count.others({one}, ()), len(lists))
count.forget()
print(count.others(set(), ()) == [one], len(lists))`
  expect(run(code)).toBe('[] 1\n[] 1\n[] 1\n[] 2 [] 2\nTrue True 4\n[] 5 [] 5\nTrue 6')
})

it.skipIf(!canMakeNamespaces)('does not take a number for new that may have been given out before', () => {
  const code = `
next_number(5_000)
end(begin())
print(count.others(set(), ()))
next_number(5_000)
one = begin()
print(one, count.others(set(), ()) == [one])`
  expect(run(code)).toBe('[]\n5000 True')
})
