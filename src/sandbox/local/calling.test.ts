import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { resource } from '../../places.ts'

it('the clock of a run stands still for tools that it was granted, and for no others', () => {
  const code = `
import sys
from types import SimpleNamespace as Some
sys.path.insert(0, ${JSON.stringify(resource('kernels'))})
from countersign.calling import Calls
stood = []
run = Some(id="r", tools={"demo.echo"}, waits=stood.append)
kernel = Some(send_later=lambda *_: None)
calls = Calls(Some(running=Some(run=run, is_of=lambda _: True), tell=lambda *_: None))
for number, tool in enumerate(("demo.other", "demo.echo", "demo.other"), 1):
    calls.on_kernel(kernel, {"k": number, "tool": tool}, b"{}")
for number in (1, 2, 3): calls.on_host({"c": number, "run": "r", "ok": True}, b"")
print(*stood)`
  expect(execFileSync('python3', ['-c', code], { encoding: 'utf8' })).toBe('False True True True False False\n')
})
