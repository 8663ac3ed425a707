import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { ChartLine, Hash, Pin, PinOff, Table2 } from 'lucide-react'
import { useState } from 'react'
import type { Candidate } from '../../src/contract/figures.ts'
import type { CellId, PathId } from '../../src/contract/ids.ts'
import styles from '../commands/palette.module.css'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import own from './figures.module.css'
import { setFigures, showFigures } from './state.ts'
import { valueText } from './words.ts'

const icons = { number: Hash, entry: Hash, table: Table2, chart: ChartLine } as const

/** Everything that a cell shows and that can be pinned, by name: charts, tables, numbers, entries. */
export default function PinDialog({ path, cell, find }: { path: PathId; cell: CellId; find: string }) {
  const [typed, setTyped] = useState(find)
  const { data, isError } = useQuery({
    ...rpc.figures.candidates.queryOptions({ input: { path, cell, find: typed } }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const [chosen, setChosen] = useState('')
  const keys = (data ?? []).map(({ place }) => JSON.stringify(place))
  const close = () => setFigures({ pinning: null })
  const choose = (candidate: Candidate) => {
    close()
    void toggle(path, cell, candidate).catch(showProblem)
  }
  return (
    <Command.Dialog
      open
      onOpenChange={open => !open && close()}
      label="Pin a figure"
      overlayClassName={styles.overlay}
      contentClassName={styles.dialog}
      shouldFilter={false}
      // What is typed is answered a moment later: the first of the answer is what Enter means.
      value={keys.includes(chosen) ? chosen : (keys[0] ?? '')}
      onValueChange={setChosen}
      loop
    >
      <Command.Input
        className={styles.input}
        placeholder="Pin a value, table or chart of this cell…"
        value={typed}
        onValueChange={setTyped}
      />
      <Command.List className={styles.list}>
        <Command.Empty className={styles.empty}>
          {isError
            ? 'The outputs of this cell could not be read.'
            : typed
              ? 'Nothing in the output has that name or value.'
              : 'This cell shows nothing that can be pinned. Run it first.'}
        </Command.Empty>
        {(data ?? []).map((candidate, at) => {
          const Icon = icons[candidate.place.kind]
          return (
            <Command.Item
              key={keys[at]}
              value={keys[at] ?? ''}
              className={styles.item}
              onSelect={() => choose(candidate)}
            >
              <span className={own.candidate}>
                <Icon aria-hidden size={14} />
                <span>{candidate.name}</span>
              </span>
              <span className={own.side}>
                <b>{valueText(candidate.value)}</b>
                {candidate.figure ? (
                  <>
                    <PinOff aria-hidden size={14} /> unpin
                  </>
                ) : (
                  <Pin aria-label="pin" size={14} />
                )}
              </span>
            </Command.Item>
          )
        })}
      </Command.List>
    </Command.Dialog>
  )
}

async function toggle(path: PathId, cell: CellId, { figure, place, name }: Candidate): Promise<void> {
  if (figure) await client.figures.unpin({ path, figure })
  else await client.figures.pin({ path, cell, place, name })
  await queryClient.invalidateQueries({ queryKey: rpc.figures.key() })
  if (figure) showToast({ kind: 'info', text: `“${name}” is no longer pinned.` })
  else showFigures()
}
