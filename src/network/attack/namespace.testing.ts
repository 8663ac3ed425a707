import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Every address of the Internet is this machine, and the resolver asks 127.0.0.1. Nothing outside is reachable. */
const prepare = `
set -e
ip link set lo up
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
mount --bind "$RESOLV_CONF" /etc/resolv.conf
`

/** The super-user needs no user namespace, and sandboxes inside want the true one. */
const flags = process.getuid?.() === 0 ? '-nm' : '-rnm'

/** Why no namespace can be made here, or null. */
export function noNamespace(): string | null {
  if (process.platform !== 'linux') return 'network namespaces are a thing of Linux'
  const tried = spawnSync('unshare', [flags, 'sh', '-c', 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo'])
  return tried.status === 0 ? null : 'this user can make no network namespace, or there is no iproute2'
}

/** Runs a program of ours inside and gives what it prints on its last line, as JSON. */
export async function runInside<T>(program: string, args: readonly string[], timeoutMs: number): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-namespace-'))
  const resolvConf = join(folder, 'resolv.conf')
  writeFileSync(resolvConf, 'nameserver 127.0.0.1\noptions timeout:1 attempts:2\n')
  try {
    const command = [process.execPath, program, ...args].map(each => `'${each}'`).join(' ')
    const child = spawn('unshare', [flags, '--kill-child', 'bash', '-c', `${prepare}\nexec ${command}`], {
      env: { ...process.env, RESOLV_CONF: resolvConf },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    })
    let out = ''
    let err = ''
    child.stdout.on('data', data => (out += data))
    child.stderr.on('data', data => (err += data))
    await new Promise(resolve => child.on('close', resolve))
    const last = out.trim().split('\n').at(-1) ?? ''
    if (!last.startsWith('{')) throw new Error(`the program inside said nothing: ${err || out}`)
    return JSON.parse(last) as T
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
