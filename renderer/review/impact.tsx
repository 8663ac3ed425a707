import {
  CircleHelp,
  Database,
  FilePen,
  FileText,
  Globe,
  type LucideIcon,
  RotateCcw,
  SquareTerminal,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { blastRadii, type Impact, type Inspection, type Target } from '../../src/contract/inspection.ts'
import styles from './impact.module.css'
import { VisibleText } from './visible-text.tsx'

type TargetList = 'filesDeleted' | 'filesWritten' | 'filesRead' | 'hosts' | 'commands' | 'dataModified'

const rows: readonly { list: TargetList; verb: string; none: string; icon: LucideIcon; grave?: true }[] = [
  { list: 'filesDeleted', verb: 'Deletes', none: 'deleting', icon: Trash2, grave: true },
  { list: 'hosts', verb: 'Talks to', none: 'network', icon: Globe, grave: true },
  { list: 'commands', verb: 'Starts', none: 'other programs', icon: SquareTerminal, grave: true },
  { list: 'dataModified', verb: 'Changes data in', none: 'databases', icon: Database, grave: true },
  { list: 'filesWritten', verb: 'Writes', none: 'writing', icon: FilePen },
  { list: 'filesRead', verb: 'Reads', none: 'reading', icon: FileText },
]

const radii: Record<Impact['blastRadius'], { word: string; text: string }> = {
  contained: { word: 'Contained', text: 'stays in its own working folder' },
  local: { word: 'Local', text: 'reaches files outside its working folder' },
  system: { word: 'System', text: 'reaches the system: its settings, programs or other users' },
  network: { word: 'Network', text: 'reaches beyond this machine' },
  unknown: { word: 'Not known', text: 'may reach further than can be told: it calls code that could not be read' },
}

const undo: Record<Impact['reversible'], string> = {
  yes: 'Can be undone',
  no: 'Cannot be undone',
  unknown: 'May not be possible to undo',
}

const volumes: Record<Impact['volume'], string | null> = {
  none: null,
  single: 'one thing',
  few: 'a few things',
  many: 'many things (a loop, a pattern or a whole folder)',
  unknown: 'how much is not known',
}

const times: Record<Impact['estimate']['time'], string> = {
  instant: 'immediately',
  seconds: 'takes seconds',
  minutes: 'takes minutes',
  unbounded: 'may never end',
  unknown: 'duration not known',
}

/** A picture of what the code would touch, how far it reaches and whether it can be taken back. */
export function ImpactView({ inspection, onLine }: { inspection: Inspection; onLine(line: number): void }) {
  const { impact, complete } = inspection
  const seen = rows.filter(row => impact[row.list].length > 0)
  const unseen = rows.filter(row => impact[row.list].length === 0)
  const unknown = impact.unknownCalls ?? []
  return (
    <section className={styles.impact} aria-label="What it would do">
      <h3>What it would do</h3>
      <ul className={styles.rows}>
        {seen.map(row => (
          <li key={row.list} className={row.grave ? `${styles.row} ${styles.grave}` : styles.row}>
            <row.icon aria-hidden />
            <span className={styles.verb}>{row.verb}</span>
            <Targets targets={impact[row.list]} onLine={onLine} />
          </li>
        ))}
        {unknown.length > 0 && (
          <li className={styles.row}>
            <CircleHelp aria-hidden />
            <span className={styles.verb}>Effect not known</span>
            <Targets targets={unknown} onLine={onLine} />
          </li>
        )}
      </ul>
      {unseen.length > 0 && complete && unknown.length === 0 && (
        <p className={styles.none}>Not seen in it: {unseen.map(row => row.none).join(', ')}</p>
      )}
      {!complete && (
        <p className={styles.unread} role="note">
          The code could not be read to its end. It may do more than is listed here.
        </p>
      )}
      <Reach radius={impact.blastRadius} />
      <p className={impact.reversible === 'yes' ? styles.undo : `${styles.undo} ${styles.lasting}`}>
        <RotateCcw aria-hidden />
        <b>{undo[impact.reversible]}</b>
        <span>
          {[
            volumes[impact.volume],
            times[impact.estimate.time],
            impact.estimate.memory === 'large' ? 'much memory' : null,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </p>
    </section>
  )
}

const shownTargets = 6

function Targets({ targets, onLine }: { targets: readonly Target[]; onLine(line: number): void }) {
  const [all, setAll] = useState(false)
  const shown = all ? targets : targets.slice(0, shownTargets)
  const rest = targets.length - shown.length
  return (
    <span className={styles.targets}>
      {shown.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two targets can be alike in all but their place
        <OneTarget key={index} {...each} onLine={onLine} />
      ))}
      {rest > 0 && (
        <button type="button" className={styles.more} onClick={() => setAll(true)}>
          and {rest} more
        </button>
      )}
    </span>
  )
}

function OneTarget({ target, expression, lines, onLine }: Target & { onLine(line: number): void }) {
  const [first] = lines
  const where = lines.length === 0 ? '' : `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, 4).join(', ')}`
  return (
    <button
      type="button"
      className={target === null ? `${styles.target} ${styles.unknown}` : styles.target}
      onClick={() => first !== undefined && onLine(first)}
      title={first === undefined ? undefined : `Show line ${first}`}
    >
      {target === null ? (
        <>
          <CircleHelp aria-hidden />
          <span className={styles.what}>
            unknown: <VisibleText text={expression} />
          </span>
        </>
      ) : (
        <span className={styles.what}>
          <VisibleText text={target} />
        </span>
      )}
      {where && (
        <span className={styles.lines}>
          {where}
          {lines.length > 4 && ' …'}
        </span>
      )}
    </button>
  )
}

function Reach({ radius }: { radius: Impact['blastRadius'] }) {
  const at = radius === 'unknown' ? -1 : blastRadii.indexOf(radius)
  return (
    <div className={styles.reach} role="img" aria-label={`Reach: ${radii[radius].word}, ${radii[radius].text}`}>
      <div className={styles.scale} data-radius={radius}>
        {blastRadii.map((each, index) => (
          <span key={each} className={index <= at ? styles.reached : undefined}>
            {index === at && <b>{radii[each].word}</b>}
            {index !== at && radii[each].word}
          </span>
        ))}
      </div>
      <p>It {radii[radius].text}.</p>
    </div>
  )
}
