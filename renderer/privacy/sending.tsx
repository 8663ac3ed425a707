import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, FileText, NotebookPen } from 'lucide-react'
import { useState } from 'react'
import type { Item } from '../../src/contract/conversations.ts'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { type Destination, destinations } from '../../src/contract/privacy.ts'
import { usePath } from '../notebook/path-data.ts'
import { rpc } from '../state/queries.ts'
import { setView, useView } from '../state/view.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { RedactionView } from './redaction.tsx'
import styles from './sending.module.css'
import { nameOf, type Part, partsOf, useSourceText } from './source.ts'
import { destinationWords, modeOf, modeWords } from './words.ts'

/** The selected item of the notebook, beside what would leave of it. */
export function Sending() {
  const { conversation, path } = useView()
  if (!conversation || !path) {
    return (
      <Empty icon={<NotebookPen />} title="No conversation is open">
        <p>Open one and select a message or a cell to see what would be sent of it.</p>
        <Button onClick={() => setView({ dialog: 'conversations' })}>Open conversation…</Button>
      </Empty>
    )
  }
  return <OfPath conversation={conversation} path={path} />
}

function OfPath({ conversation, path }: { conversation: ConversationId; path: PathId }) {
  const opened = usePath(path)
  const selected = useView(view => view.selected)
  if (opened.isError) return <ProblemView error={opened.error} onRetry={() => opened.refetch()} />
  if (!opened.data) return <Loading />
  const { items } = opened.data
  const at = Math.max(
    0,
    items.findIndex(item => item.id === selected),
  )
  const item = items[at]
  if (!item) {
    return (
      <Empty icon={<FileText />} title="This path is empty">
        <p>Write a question or a cell in the notebook to see here what would be sent of it.</p>
        <Button onClick={() => setView({ place: 'notebook' })}>Go to the notebook</Button>
      </Empty>
    )
  }
  const go = (step: number) => setView({ selected: items[at + step]?.id ?? null, editing: false })
  return (
    <OfItem
      key={item.id}
      conversation={conversation}
      item={item}
      steps={
        <span className={styles.steps}>
          <IconButton label="Previous item" icon={<ChevronLeft />} disabled={at === 0} onClick={() => go(-1)} />
          <span className={styles.name}>
            {nameOf(item)}
            <span className={styles.place}>
              {at + 1} of {items.length}
            </span>
          </span>
          <IconButton
            label="Next item"
            icon={<ChevronRight />}
            disabled={at >= items.length - 1}
            onClick={() => go(1)}
          />
        </span>
      }
    />
  )
}

function OfItem({ conversation, item, steps }: { conversation: ConversationId; item: Item; steps: React.ReactNode }) {
  const parts = partsOf(item)
  const [chosen, setPart] = useState<Part>('text')
  const part = parts.includes(chosen) ? chosen : 'text'
  const [destination, setDestination] = useState<Destination>('model')
  const settings = useQuery(rpc.settings.get.queryOptions()).data?.settings
  const text = useSourceText(item, part)
  const redaction = useQuery({
    ...rpc.privacy.preview.queryOptions({ input: { conversation, text: text.data ?? '' } }),
    enabled: text.data !== undefined,
    staleTime: 0,
    gcTime: 0,
    // Allowing a value changes the answer; the text stays in sight until the new one is here.
    placeholderData: before => before,
  })
  const mode = settings ? modeOf(settings.privacy, destination) : 'enforce'
  const error = text.error ?? redaction.error
  return (
    <>
      <div className={styles.bar}>
        {steps}
        {parts.length > 1 && (
          <Segmented
            label="Which part"
            value={part}
            choices={[
              { value: 'text', label: 'Code' },
              { value: 'output', label: 'Output' },
            ]}
            onChange={setPart}
          />
        )}
        <Button look="quiet" icon={<NotebookPen />} onClick={() => setView({ place: 'notebook', selected: item.id })}>
          Show in the notebook
        </Button>
        <span className={styles.space} />
        <label className={styles.destination}>
          On its way to
          <select value={destination} onChange={event => setDestination(event.target.value as Destination)}>
            {destinations.map(each => (
              <option key={each} value={each}>
                {destinationWords[each].name}
                {settings ? ` (${modeWords[modeOf(settings.privacy, each)].name.toLowerCase()})` : ''}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error ? (
        <ProblemView error={error} onRetry={() => redaction.refetch()} />
      ) : !redaction.data ? (
        <Loading text="Looking…" />
      ) : (
        <RedactionView
          conversation={conversation}
          redaction={redaction.data}
          mode={mode}
          to={destinationWords[destination].to}
          onAllowed={() => void redaction.refetch()}
        />
      )}
    </>
  )
}
