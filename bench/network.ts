import { noNamespace, runInside } from '../src/network/attack/namespace.testing.ts'

/**
 * Requests through the egress proxy against the same ones straight to the server, in a network namespace in which the
 * server has a public address: the proxy dials no others. `node bench/network.ts` prints one line of JSON.
 */
const missing = noNamespace()
if (missing) console.log(JSON.stringify({ bench: 'network', skipped: missing }))
else {
  const measured = await runInside<Record<string, unknown>>('src/network/attack/speed.testing.ts', [], 300_000)
  console.log(JSON.stringify({ bench: 'network', ...measured, target: { addedMs: 1.5, downloadRatio: 0.7 } }))
}
