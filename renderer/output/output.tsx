import { Download, Info } from 'lucide-react'
import { memo, useMemo } from 'react'
import type { Output } from '../../src/contract/run.ts'
import type { OutputActions } from './actions.ts'
import { type Block, toBlocks } from './blocks.ts'
import { Boundary } from './boundary.tsx'
import { Display } from './display.tsx'
import { ErrorReport } from './error.tsx'
import styles from './output.module.css'
import { Text } from './text/text.tsx'

export type { OutputActions } from './actions.ts'

export interface OutputsProps {
  readonly outputs: readonly Output[]
  readonly actions: OutputActions
  /**
   * Whether scripts in HTML run at once. `ask` is for everything that this person has not just run here: an imported
   * notebook's page must not start by being looked at.
   */
  readonly scripts?: 'ask' | 'run'
}

/** Everything a run showed, in order, each in its richest form. */
export const Outputs = memo(function Outputs({ outputs, actions, scripts = 'ask' }: OutputsProps) {
  const blocks = useMemo(() => toBlocks(outputs), [outputs])
  return (
    <div className={styles.outputs}>
      {blocks.map((block, index) => (
        // Outputs are only ever added at the end: the place is the name.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above.
        <Boundary key={index} of={block} fallback={<p className={styles.note}>This output could not be shown.</p>}>
          <BlockView {...{ block, actions, scripts }} />
        </Boundary>
      ))}
    </div>
  )
})

interface BlockProps {
  readonly block: Block
  readonly actions: OutputActions
  readonly scripts: 'ask' | 'run'
}

function BlockView({ block, actions, scripts }: BlockProps) {
  switch (block.type) {
    case 'text': {
      const isError = block.name === 'stderr'
      const label = isError ? 'Standard error' : 'Standard output'
      return (
        <Text
          chunks={block.chunks}
          label={label}
          tone={isError ? 'stderr' : 'plain'}
          linked={isError}
          isCut={block.cut === true}
          actions={actions}
        />
      )
    }
    case 'display':
    case 'result':
      return <Display output={block} actions={actions} scripts={scripts} />
    case 'error':
      return <ErrorReport error={block.error} actions={actions} />
    case 'notice':
      return (
        <p className={styles.notice} role="note">
          <Info aria-hidden size={14} />
          <span>{block.text}</span>
          {block.cut && actions.onSaveAll && (
            <button type="button" className={styles.save} onClick={() => actions.onSaveAll?.()}>
              <Download aria-hidden size={13} /> Save all of it
            </button>
          )}
        </p>
      )
  }
}
