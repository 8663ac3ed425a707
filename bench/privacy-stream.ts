/**
 * A stream of a gigabyte, once found in and once redacted: speed by processor time and how much memory it took at most.
 * The same values come again and again, as in a log; every value that is new stays in the book of tokens.
 * `node bench/privacy-stream.ts [MEGABYTES]`; one JSON line on standard output.
 */
import { defaultScanner, RedactionStream, StreamScanner, TokenBook } from '../src/privacy/privacy.ts'
import { makeText } from './privacy-text.ts'

const megabytes = Number(process.argv[2] ?? 1000)
const unit = makeText(4_000_000)
const chunk = 65_536

interface Flow {
  push(text: string): void
  end(): void
}

function run(name: string, flow: Flow) {
  const rss = () => process.memoryUsage.rss() / 1_000_000
  const before = rss()
  let most = before
  const cpu = process.threadCpuUsage()
  for (let passed = 0; passed < megabytes * 1_000_000; ) {
    for (let at = 0; at < unit.length && passed < megabytes * 1_000_000; at += chunk) {
      const part = unit.slice(at, at + chunk)
      flow.push(part)
      passed += part.length
    }
    most = Math.max(most, rss())
  }
  flow.end()
  const spent = process.threadCpuUsage(cpu)
  const result = {
    MBps: Number(((megabytes * 1_000_000) / (spent.user + spent.system)).toFixed(1)),
    rssBeforeMB: Math.round(before),
    rssMostMB: Math.round(Math.max(most, rss())),
  }
  process.stderr.write(`${name}: ${JSON.stringify(result)}\n`)
  return result
}

let findings = 0
const scanner = new StreamScanner(defaultScanner())
const scan = run('scan', {
  push: text => {
    findings += scanner.push(text).found.length
  },
  end: () => {
    findings += scanner.end().found.length
  },
})
let written = 0
const redaction = new RedactionStream(new StreamScanner(defaultScanner()), new TokenBook())
const redact = run('redact', {
  push: text => {
    written += redaction.push(text).length
  },
  end: () => {
    written += redaction.end().length
  },
})
process.stdout.write(`${JSON.stringify({ bench: 'privacy-stream', megabytes, findings, written, scan, redact })}\n`)
