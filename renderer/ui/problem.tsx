import { CircleAlert } from 'lucide-react'
import { problemFrom } from '../state/connection.ts'
import { Button } from './button.tsx'
import { Empty } from './empty.tsx'
import { Words } from './words.tsx'

/** A view that could not be shown: what went wrong, what to do, and a way to try again. */
export function ProblemView({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { message, hint } = problemFrom(error)
  return (
    <Empty icon={<CircleAlert />} title={message}>
      <p>
        <Words text={hint} />
      </p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </Empty>
  )
}
