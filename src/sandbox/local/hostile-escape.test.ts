import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Limits } from '../../contract/run.ts'
import { runIn, withTimeout } from '../testing.ts'
import { Arena } from './hostile.testing.ts'

describe('programs that want out', () => {
  let arena: Arena
  const secretFolder = join(homedir(), `.countersign-test-${process.pid}`)
  const secretFile = join(secretFolder, 'secret')

  beforeAll(async () => {
    process.env.COUNTERSIGN_TEST_SECRET = 'in the environment'
    mkdirSync(secretFolder)
    writeFileSync(secretFile, 'in the home folder')
    arena = await Arena.open()
  })
  afterAll(async () => {
    rmSync(secretFolder, { recursive: true })
    await arena.close()
  })

  const say = async (code: string, language: 'python' | 'bash' | 'javascript' = 'python') => {
    const sandbox = await arena.sandbox()
    const outcome = await runIn(sandbox, language, code, withTimeout(10_000))
    await arena.survived(sandbox, [language])
    return outcome
  }

  it('reads neither the home folder nor anybody’s', async () => {
    const outcome = await say(
      `import os\nfor at in (${JSON.stringify(secretFile)}, "/root", "/home", "/etc/shadow", "/etc/passwd", "/boxes", "/host", "/old"):\n    print(os.path.exists(at), end=" ")\nprint(sorted(os.listdir("/")))`,
    )
    expect(outcome.stdout).toMatch(/^(False ){8}/)
    expect(outcome.stdout).not.toContain('home')
  })

  it('finds no secret in its environment, nor in that of any process it can see', async () => {
    const outcome = await say(
      'import os, glob\nseen = str(os.environ)\nfor at in glob.glob("/proc/[0-9]*/environ"):\n    try: seen += open(at).read()\n    except OSError as e: seen += e.__class__.__name__\nprint(seen)',
    )
    expect(outcome.stdout).not.toContain('in the environment')
    expect(outcome.stdout).toContain('PermissionError')
    expect(outcome.stdout).not.toContain('TOKEN')
  })

  it('writes nowhere but into its working folder and its temporary folders', async () => {
    const outcome = await say(
      'import os\nplaces = ["/", "/usr", "/usr/bin", "/etc", "/opt", "/opt/countersign/kernels", "/dev", "/proc/sys/kernel", "/work", "/tmp"]\nok = []\nfor at in places:\n    try:\n        open(os.path.join(at, "x"), "w").close(); ok.append(at)\n    except OSError: pass\nprint(ok)',
    )
    expect(outcome.stdout).toBe("['/work', '/tmp']\n")
  })

  it('reaches no loopback listener, no address, and no Unix socket of the host', async () => {
    const server = createServer(socket => socket.end('reached'))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const abstract = `countersign-test-${process.pid}`
    const local = createServer(socket => socket.end('reached'))
    await new Promise<void>(resolve => local.listen(`\0${abstract}`, () => resolve()))
    const file = join(secretFolder, 'socket')
    const byFile = createServer(socket => socket.end('reached'))
    await new Promise<void>(resolve => byFile.listen(file, () => resolve()))
    try {
      const outcome = await say(
        `import socket\ndef attempt(family, target, kind=socket.SOCK_STREAM):\n    try:\n        s = socket.socket(family, kind); s.settimeout(1); s.connect(target); s.send(b"x"); return "reached"\n    except OSError as e: return "refused"\nprint([attempt(socket.AF_INET, ("127.0.0.1", ${port})), attempt(socket.AF_INET, ("1.1.1.1", 53)), attempt(socket.AF_INET, ("1.1.1.1", 53), socket.SOCK_DGRAM), attempt(socket.AF_INET6, ("::1", ${port})), attempt(socket.AF_UNIX, "\\0${abstract}"), attempt(socket.AF_UNIX, ${JSON.stringify(file)})])\nfor family in (16, 17, 38, 40):\n    try: socket.socket(family, socket.SOCK_RAW); print("made", family)\n    except OSError: pass`,
      )
      expect(outcome.stdout).toBe(`['${Array(6).fill('refused').join("', '")}']\n`)
    } finally {
      for (const each of [server, local, byFile]) each.close()
    }
  })

  it('plants links that lead nowhere, for its own reads and for the application’s', async () => {
    const sandbox = await arena.sandbox()
    await runIn(
      sandbox,
      'bash',
      `ln -s ${secretFile} link; ln -s ${secretFolder} folder; ln -s / root; mkfifo pipe; mkdir real; ln -s /proc/1/root real/up`,
    )
    for (const path of ['link', 'folder/secret', 'root/usr/bin/env', 'real/up/etc/hostname', 'pipe']) {
      expect(await sandbox.files.read(path)).toMatchObject({ ok: false, problem: { code: 'sandbox.refused-path' } })
    }
    expect(await sandbox.files.list('folder')).toMatchObject({ ok: false })
    expect((await sandbox.files.write('link', Buffer.from('overwritten'))).ok).toBe(true)
    expect(await sandbox.files.list()).toMatchObject({ ok: true })
    const { readFileSync } = await import('node:fs')
    expect(readFileSync(secretFile, 'utf8')).toBe('in the home folder')
    expect((await runIn(sandbox, 'python', 'print(open("folder/secret").read())')).error).toMatchObject({
      name: 'FileNotFoundError',
    })
    await arena.survived(sandbox)
    expect(existsSync(secretFile)).toBe(true)
  })

  it('cannot mount, trace, enter or make namespaces, load code into the kernel, or become another user', async () => {
    const outcome = await say(
      [
        'import ctypes, os',
        'libc = ctypes.CDLL(None, use_errno=True)',
        'def refused(call, *args):',
        '    ctypes.set_errno(0)',
        '    return getattr(libc, call)(*args) < 0',
        'print(all([',
        '  refused("mount", b"tmpfs", b"/tmp", b"tmpfs", 0, None), refused("umount2", b"/proc", 2),',
        '  refused("ptrace", 16, 1, 0, 0), refused("unshare", 0x10000000), refused("unshare", 0x20000),',
        '  refused("chroot", b"/tmp"), refused("setuid", 0), refused("sethostname", b"x", 1),',
        '  refused("syscall", 321, 0, 0, 0), refused("syscall", 425, 8, 0), refused("syscall", 435, 0, 0),',
        '  refused("syscall", 319, b"m", 0), refused("syscall", 29, 0, 4096, 0o1600), refused("syscall", 9999),',
        '  refused("syscall", 56, 0x10000000 | 17, 0, 0, 0, 0),',
        ']))',
        'for kind in ("user", "mnt", "pid", "net"):',
        '    fd = os.open(f"/proc/self/ns/{kind}", os.O_RDONLY)',
        '    assert libc.setns(fd, 0) < 0, kind',
        'try: os.setgroups([0])',
        'except PermissionError: print("same groups")',
        'status = open("/proc/self/status").read()',
        'print([line.split()[1] for line in status.splitlines() if line.startswith(("CapEff", "CapPrm", "CapBnd", "NoNewPrivs", "Seccomp:"))])',
      ].join('\n'),
    )
    expect(outcome.stdout.split('\n').slice(0, 3)).toEqual([
      'True',
      'same groups',
      "['0000000000000000', '0000000000000000', '0000000000000000', '1', '2']",
    ])
  })

  it('is as tightly bound in a shell, which is started and not copied', async () => {
    const outcome = await say(
      [
        'grep -E "^(Cap(Prm|Eff|Bnd)|NoNewPrivs|Seccomp:)" /proc/$$/status | cut -f2',
        'ulimit -Hc; ulimit -Hn; ulimit -Hu; ulimit -Hf',
        'held=$(readlink /proc/$$/fd/*); grep -c "^socket:" <<<"$held"',
        'grep -vE "^(/dev/null|pipe:|socket:)" <<<"$held"',
      ].join('\n'),
      'bash',
    )
    const none = '0000000000000000'
    const blocks = Limits.parse({}).fileBytes / 1024
    const processes = Limits.parse({}).processes
    expect(outcome.stdout.split('\n')).toEqual([none, none, none, 1, 2, 0, 512, processes, blocks, 1, ''].map(String))
  })

  it('gets nothing from a set-user-id program', async () => {
    const outcome = await say(
      'id -u; find / -xdev -perm -4000 -type f 2>/dev/null | head -1 | while read at; do "$at" </dev/null >/dev/null 2>&1; done; id -u',
      'bash',
    )
    expect(outcome.stdout).toBe('1000\n1000\n')
  })

  it('gets nothing more in JavaScript', async () => {
    const outcome = await say(
      [
        'const tries = {',
        '  passwd: () => Deno.readTextFileSync("/etc/ld.so.cache"), env: () => Deno.env.toObject(), run: () => new Deno.Command("id").outputSync(),',
        '  net: () => Deno.listen({ port: 1 }), ffi: () => Deno.dlopen("libc.so.6", {}), sys: () => Deno.hostname(),',
        '  write: () => Deno.writeTextFileSync("/usr/x", ""), inspector: () => new (process.getBuiltinModule("node:inspector").Session)().connect(),',
        '}',
        'const open = Object.entries(tries).filter(([, attempt]) => { try { attempt(); return true } catch { return false } })',
        'console.log(JSON.stringify(open.map(([name]) => name)))',
      ].join('\n'),
      'javascript',
    )
    expect(outcome.stdout).toBe('[]\n')
    const fetched = await say('await fetch("http://127.0.0.1:1/")', 'javascript')
    expect(fetched.success).toBe(false)
  })
})
