import { useQuery } from '@tanstack/react-query'
import type { PreviewRequest } from '../../src/contract/chat.ts'
import { rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './preview.module.css'
import { useUnseen } from './state.ts'

const roles = { system: 'Instructions', user: 'You and the notebook', assistant: 'Assistant', tool: 'Results' } as const

/** Before the first message to a provider: every text that would leave, as it would leave. */
export function Unseen() {
  const { asked } = useUnseen()
  if (!asked) return null
  const close = () => useUnseen.setState({ asked: null })
  const send = () => {
    close()
    asked.send()
  }
  return <PreviewDialog request={asked.request} onSend={send} onClose={close} />
}

interface PreviewProps {
  readonly request: PreviewRequest
  onSend(): void
  onClose(): void
}

function PreviewDialog({ request, onSend, onClose }: PreviewProps) {
  const preview = useQuery({ ...rpc.chat.preview.queryOptions({ input: request }), gcTime: 0, staleTime: 0 })
  const counts = Object.entries(preview.data?.counts ?? {})
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="What would leave this machine"
      description={
        preview.data
          ? `To ${preview.data.to}. About ${preview.data.estimatedTokens.toLocaleString('en')} tokens. ${
              counts.length === 0
                ? 'Nothing private was found in it.'
                : `In the place of private values: ${counts.map(([type, count]) => `${count} × ${type}`).join(', ')}.`
            }`
          : 'Nothing was sent to this provider before.'
      }
      footer={
        <>
          <Button onClick={onClose}>Do not send</Button>
          <Button look="primary" disabled={!preview.data} onClick={onSend}>
            Send
          </Button>
        </>
      }
    >
      {preview.isError ? (
        <ProblemView error={preview.error} onRetry={() => preview.refetch()} />
      ) : !preview.data ? (
        <Loading />
      ) : (
        preview.data.messages.map((message, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a preview never changes
          <section key={at} className={styles.message}>
            <h3>{roles[message.role]}</h3>
            <pre>{message.text}</pre>
          </section>
        ))
      )}
    </Dialog>
  )
}
