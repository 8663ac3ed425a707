import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { showProblem } from '../state/toasts.ts'
import { IconButton } from '../ui/button.tsx'
import styles from './entry.module.css'
import { shortHash } from './format.ts'

/** A hash or key that one can compare at a glance and copy whole. */
export function Hash({ value, label, whole = false }: { value: string; label: string; whole?: boolean }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => navigator.clipboard.writeText(value).then(() => setCopied(true), showProblem)
  return (
    <span className={styles.hash}>
      <code title={value}>{whole ? value : shortHash(value)}</code>
      <IconButton
        label={copied ? 'Copied' : `Copy ${label}`}
        icon={copied ? <Check /> : <Copy />}
        onClick={() => void copy()}
      />
    </span>
  )
}

export const NotKept = () => (
  <p className={styles.soft}>Not kept, or removed by retention; its hash is still on the record.</p>
)
