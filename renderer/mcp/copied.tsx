import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'

/** Copies a text and says so for a moment. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => navigator.clipboard.writeText(text).then(() => setCopied(true), showProblem)
  return (
    <Button aria-label={label} icon={copied ? <Check aria-hidden /> : <Copy aria-hidden />} onClick={() => void copy()}>
      {copied ? 'Copied' : 'Copy'}
    </Button>
  )
}
