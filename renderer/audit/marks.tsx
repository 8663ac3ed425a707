import { CircleCheck, CircleDashed, CircleSlash, CircleStop, CircleX, LoaderCircle } from 'lucide-react'
import type { AuditItem } from '../../src/contract/audit.ts'
import { RiskLevel } from '../../src/contract/run.ts'
import { Risk } from '../ui/risk.tsx'
import { endWord, isStop } from '../ui/run-end.ts'
import styles from './timeline.module.css'

const results = {
  success: { icon: CircleCheck, text: 'succeeded' },
  failure: { icon: CircleX, text: 'failed' },
  syntax: { icon: CircleX, text: 'syntax error' },
  stopped: { icon: CircleStop, text: 'stopped' },
  refused: { icon: CircleSlash, text: 'denied' },
  unrun: { icon: CircleSlash, text: 'did not run' },
  running: { icon: LoaderCircle, text: 'running' },
  interrupted: { icon: CircleDashed, text: 'interrupted' },
} as const
export type Result = keyof typeof results

/** How it ended, where that can be said: of a run that began, only if it did not go on as one would expect. */
export function resultOf({ entry, runState }: AuditItem): Result | null {
  if (runState === 'running' || runState === 'interrupted') return runState
  if (entry.action === 'run.refused') {
    const end = endWord(String(fieldOf(entry.details, 'code')))
    return end === 'denied' ? 'refused' : end === 'syntax error' ? 'syntax' : 'unrun'
  }
  const success = fieldOf(entry.details, 'success')
  if (success !== false) return success === true ? 'success' : null
  const error = fieldOf(entry.details, 'error')
  const [kind, name] = [String(fieldOf(error, 'kind')), String(fieldOf(error, 'name'))]
  return isStop({ kind, name }) ? 'stopped' : kind === 'syntax' ? 'syntax' : 'failure'
}

export function ResultMark({ result }: { result: Result }) {
  const { icon: Icon, text } = results[result]
  return (
    <span className={`${styles.result} ${styles[result]}`}>
      <Icon aria-hidden />
      <span>{text}</span>
    </span>
  )
}

export function RiskMark({ item }: { item: AuditItem }) {
  const risk = RiskLevel.safeParse(fieldOf(item.entry.details, 'risk'))
  return risk.success ? <Risk level={risk.data} /> : null
}

/** The person stands out, so that one can run an eye down the names. */
export function Sentence({ text, who }: { text: string; who: string }) {
  const at = text.indexOf(who)
  if (at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <b>{who}</b>
      {text.slice(at + who.length)}
    </>
  )
}

export function fieldOf(details: unknown, name: string): unknown {
  if (typeof details !== 'object' || details === null || Array.isArray(details)) return undefined
  return (details as Record<string, unknown>)[name]
}
