import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'

/** Structured logs, one JSON object a line. */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error'>

export const silentLog: Log = pino({ level: 'silent' })

const rotateAtBytes = 10 * 1024 * 1024

/** Opens `logs/countersign.log`. Every line passes `redact` first, since people send logs to each other. */
export function openLog(folder: string, level: string, redact: (line: string) => string): Log & { close(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'countersign.log')
  if (existsSync(file) && statSync(file).size > rotateAtBytes) renameSync(file, `${file}.1`)
  const destination = pino.destination({ dest: file, sync: true, mode: 0o600 })
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    { write: line => destination.write(redact(line)) },
  )
  return Object.assign(log, { close: () => destination.end() })
}
