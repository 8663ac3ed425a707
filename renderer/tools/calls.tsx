import { CircleAlert, History, Wrench } from 'lucide-react'
import type { Output } from '../../src/contract/run.ts'
import type { ToolCall } from '../../src/contract/tools.ts'
import { visible } from '../../src/contract/visible.ts'
import { bytes } from '../inspector/format.ts'
import { duration } from '../notebook/cell-header.tsx'
import styles from './calls.module.css'

interface Line {
  readonly key: string
  readonly name: string
  readonly end: ToolCall['end']
  readonly count: number
  readonly bytes: number
  readonly durationMs: number
  readonly why: string | null
  readonly files: readonly string[]
}

/** Calls of one tool that ended alike, together. */
export function linesOf(calls: readonly ToolCall[]): Line[] {
  const lines = new Map<string, Line>()
  for (const { server, tool, end, code, message, bytes: size, durationMs, file } of calls) {
    const key = `${server}.${tool} ${end} ${code ?? ''}`
    const before = lines.get(key)
    lines.set(key, {
      key,
      name: `${server}.${tool}`,
      end,
      count: (before?.count ?? 0) + 1,
      bytes: (before?.bytes ?? 0) + size,
      durationMs: (before?.durationMs ?? 0) + durationMs,
      why: message ?? null,
      files: [...(before?.files ?? []), ...(file ? [file] : [])],
    })
  }
  return [...lines.values()]
}

/** How much of all that came in is not in what the cell shows. */
export function stayed(calls: readonly ToolCall[], outputs: readonly Output[]): { here: number; shown: number } {
  const came = calls.reduce((sum, call) => sum + call.bytes, 0)
  const shown = outputs.reduce((sum, output) => sum + utf8.encode(textOf(output)).length, 0)
  return { here: Math.max(0, came - shown), shown }
}

const utf8 = new TextEncoder()

function textOf(output: Output): string {
  switch (output.type) {
    case 'stream':
    case 'notice':
      return output.text
    case 'error':
      return output.error.message
    case 'display':
    case 'result':
      return JSON.stringify(output.data)
  }
}

const ends: Record<ToolCall['end'], string> = {
  answered: 'called',
  replayed: 'from the record:',
  failed: 'failed:',
  refused: 'denied:',
}

/** Which tools a run called, how long they took, and how much of what they gave stayed in the sandbox. */
export function ToolCalls({ calls, outputs }: { calls: readonly ToolCall[]; outputs: readonly Output[] }) {
  if (calls.length === 0) return null
  const { here, shown } = stayed(calls, outputs)
  return (
    <ul className={styles.calls} aria-label="Tools">
      {linesOf(calls).map(line => (
        <li key={line.key} className={styles[line.end]}>
          {line.end === 'answered' ? (
            <Wrench aria-hidden />
          ) : line.end === 'replayed' ? (
            <History aria-hidden />
          ) : (
            <CircleAlert aria-hidden />
          )}
          <span>
            {ends[line.end]} <b>{line.name}</b>
            {line.count > 1 && ` ${line.count} times`}
            {line.bytes > 0 && ` · ${bytes(line.bytes)}`} · {duration(line.durationMs)}
            {line.files.length > 0 && ` · as ${line.files.join(', ')}`}
            {line.why && <span className={styles.why}> {visible(line.why)}</span>}
          </span>
        </li>
      ))}
      {here > 0 && (
        <li className={styles.sum}>
          {bytes(here)} stayed here; the cell shows {bytes(shown)}.
        </li>
      )}
    </ul>
  )
}
