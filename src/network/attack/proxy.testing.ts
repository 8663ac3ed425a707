import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { NetworkRequest, NetworkRule } from '../../contract/network.ts'

export interface RunningProxy {
  readonly port: number
  readonly pid: number
  readonly log: NetworkRequest[]
  stop(): void
}

/** The proxy as `scripts/egress-proxy.mjs` starts it: nothing in it knows that it is tested. */
export async function startProxy(rules: readonly object[]): Promise<RunningProxy> {
  const child = spawn(process.execPath, ['scripts/egress-proxy.mjs'], {
    env: { ...process.env, EGRESS_RULES: JSON.stringify(rules as readonly NetworkRule[]) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const log: NetworkRequest[] = []
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the proxy ended with ${code}`)))
    createInterface({ input: child.stdout }).on('line', line => {
      const said = JSON.parse(line) as { address?: string; log?: NetworkRequest }
      if (said.address) resolve(Number(said.address.split(':')[1]))
      if (said.log) log.push(said.log)
    })
  })
  return { port, pid: child.pid ?? 0, log, stop: () => child.kill() }
}
