import { useQuery } from '@tanstack/react-query'
import { CircleAlert, ScrollText, SquareCode, Stamp } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Lineage } from '../../src/contract/figures.ts'
import type { ConversationId, FigureId, PathId } from '../../src/contract/ids.ts'
import { openEntry } from '../audit/state.ts'
import { bytes } from '../inspector/format.ts'
import { rpc } from '../state/queries.ts'
import { openPath, setView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import { Risk } from '../ui/risk.tsx'
import { FigureDrawing } from './drawing.tsx'
import styles from './figures.module.css'
import { setFigures } from './state.ts'
import { short, valueText, when } from './words.ts'

/** Where a figure comes from, by the word of the record, with the ways to its cell, entry and decision. */
export default function LineageDialog({
  conversation,
  path,
  figure,
}: {
  conversation: ConversationId
  path: PathId
  figure: FigureId
}) {
  const lineage = useQuery({ ...rpc.figures.lineage.queryOptions({ input: { path, figure } }), staleTime: 0 })
  const close = () => setFigures({ lineage: null })
  const { data } = lineage
  const go = (to: () => void) => () => {
    close()
    to()
  }
  const entry = data?.entries.findLast(({ what }) => what === 'run.finished') ?? data?.entries.at(-1)
  const request = data?.decision?.request
  return (
    <Dialog
      open
      wide
      onClose={close}
      title={data?.figure.name ?? 'Figure'}
      description="Where it comes from, by the record"
      footer={
        data && (
          <>
            <Button icon={<SquareCode />} onClick={go(() => openPath(conversation, path, data.cell.id))}>
              Go to the cell
            </Button>
            {entry && (
              <Button
                icon={<ScrollText />}
                onClick={go(() => {
                  openEntry(entry.seq)
                  setView({ place: 'audit' })
                })}
              >
                Entry {entry.seq} of the record
              </Button>
            )}
            {request && (
              <Button icon={<Stamp />} onClick={go(() => setView({ place: 'review', request }))}>
                The decision
              </Button>
            )}
          </>
        )
      }
    >
      {lineage.isError ? (
        <ProblemView error={lineage.error} onRetry={() => lineage.refetch()} />
      ) : data ? (
        <Story lineage={data} />
      ) : (
        <Loading />
      )}
    </Dialog>
  )
}

function Story({ lineage }: { lineage: Lineage }) {
  const { figure, cell, run, decision, inputs, upstream, history } = lineage
  const { state } = figure
  return (
    <div className={styles.story}>
      <div className={styles.big}>
        {state.kind === 'gone' ? (
          <span className={styles.gone}>{state.sentence}</span>
        ) : state.value.kind === 'table' || state.value.kind === 'chart' ? (
          <FigureDrawing value={state.value} name={figure.name} />
        ) : (
          <strong>{state.value.shown}</strong>
        )}
        {state.kind === 'shown' && state.stale && (
          <p className={styles.warning}>
            <CircleAlert aria-hidden size={15} /> Stale: the cell, or one that it depends on, was changed after this
            run.
          </p>
        )}
        {run?.outputsMatch === false && (
          <p className={styles.alarm} role="alert">
            <CircleAlert aria-hidden size={15} /> The output that is kept is not the one that the record has by hash:
            somebody changed it after the run.
          </p>
        )}
      </div>
      <dl className={styles.lineage}>
        <Fact name="Cell">
          {cell.language}, revision {cell.ranRevision ?? cell.revision ?? 'unknown'}
          {cell.ranRevision !== null && cell.revision !== null && cell.ranRevision !== cell.revision && (
            <> (it is at revision {cell.revision} now)</>
          )}
        </Fact>
        <Fact name="Code">{cell.codeHash ? <Hash text={cell.codeHash} /> : 'not on the record'}</Fact>
        {run ? (
          <>
            <Fact name="Run">
              by {run.by}, {when(run.at)} <Risk level={run.risk} />
            </Fact>
            <Fact name="Decision">
              {decision
                ? `${decision.by === 'policy' ? 'allowed by the policy' : `approved by ${decision.name}`}, ${when(decision.at)}`
                : 'not on the record'}
              {decision?.comment && <> “{decision.comment}”</>}
            </Fact>
            <Fact name="Sandbox">
              {run.sandbox}, isolation {run.isolation}
              {run.image && (
                <>
                  , image <Hash text={run.image} />
                </>
              )}
            </Fact>
            <Fact name="Environment">
              {run.environment ? (
                <>
                  {run.environment.name} <Hash text={run.environment.digest} />
                </>
              ) : (
                'what the sandbox brings along'
              )}
            </Fact>
            <Fact name="Output">
              {run.outputsMatch === null
                ? 'from before outputs were on the record by hash'
                : run.outputsMatch
                  ? 'the same as on the record, by hash'
                  : 'not the one on the record'}
            </Fact>
          </>
        ) : (
          <Fact name="Run">
            none on the record: it was imported, its entry was removed with age, or the database was changed
          </Fact>
        )}
        <Fact name="Input files">
          {inputs.files.length === 0 ? (
            'none'
          ) : (
            <ul className={styles.inputs}>
              {inputs.files.map(file => (
                <li key={file.path}>
                  <code>{file.path}</code> <span>{bytes(file.bytes)}</span> <Hash text={file.sha256} />
                  {file.read && <em> read by this cell</em>}
                </li>
              ))}
              {inputs.more > 0 && <li>and {inputs.more} more</li>}
            </ul>
          )}
        </Fact>
        <Fact name="From cells">
          {upstream.length === 0 ? (
            'none before it'
          ) : (
            <ul className={styles.inputs}>
              {upstream.map(each => (
                <li key={each.cell}>
                  <code>{each.firstLine || 'empty cell'}</code> {each.codeHash && <Hash text={each.codeHash} />}
                  {each.stale && <span className={styles.stale}>stale</span>}
                </li>
              ))}
            </ul>
          )}
        </Fact>
        {history.length > 1 && (
          <Fact name="Before">
            <ul className={styles.inputs}>
              {history.slice(1).map(each => (
                <li key={`${each.run} ${each.at}`}>
                  <b>{valueText(each.value)}</b> {when(each.at)}
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </dl>
    </div>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
)

const Hash = ({ text }: { text: string }) => <code title={text}>{short(text)}</code>
