import { Check, CircleCheck, CircleDashed, CirclePause, CircleX, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  type ModelFacts,
  type ModelStep,
  type ModelTrial,
  modelSteps,
  type NamesStatus,
} from '../../../src/contract/names.ts'
import { bytes } from '../../inspector/format.ts'
import { duration } from '../../notebook/cell-header.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './card.module.css'
import { labelWords, stepWords, typeWords } from './words.ts'

interface ModelCardProps {
  readonly status: NamesStatus
  onStop(): void
  onAgain(): void
}

/** What is known of the model for names: that there is none, how far it is, what it can do, or what is wrong with it. */
export function ModelCard({ status, onStop, onAgain }: ModelCardProps) {
  switch (status.state) {
    case 'off':
      return status.folder === '' ? (
        <Card state="off" icon={<CircleDashed />} title="No model">
          <p>
            Names are found by rules alone: by titles and greetings, by labels such as “Patient:” and by lists of common
            names. A model finds more of them, and places and organisations as well. It is read from a folder of this
            machine; nothing is ever downloaded.
          </p>
        </Card>
      ) : (
        <Card state="off" icon={<CircleDashed />} title="Switched off">
          <p>Names are found by rules alone until “Ask the model” is switched on.</p>
        </Card>
      )
    case 'loading':
      return (
        <Card state="loading" icon={<LoaderCircle />} title="Loading" action={<Button onClick={onStop}>Cancel</Button>}>
          <Steps {...status} />
        </Card>
      )
    case 'ready':
      return (
        <Card state="ready" icon={<CircleCheck />} title="Ready">
          <p>Rules look for names, and then this model does.</p>
          <Facts model={status.model} trial={status.trial} />
        </Card>
      )
    case 'failed': {
      const { code, message, hint } = status.problem
      return (
        <Card
          state="failed"
          icon={<CircleX />}
          title="This folder cannot be used"
          action={<Button onClick={onAgain}>Try again</Button>}
        >
          <p>{message}</p>
          <p>{hint} Meanwhile names are found by rules alone.</p>
          <p className={styles.code}>
            <code>{code}</code>
          </p>
        </Card>
      )
    }
    case 'stopped':
      return (
        <Card
          state="stopped"
          icon={<CirclePause />}
          title="Stopped"
          action={<Button onClick={onAgain}>Load it</Button>}
        >
          <p>The model was not loaded. Names are found by rules alone.</p>
        </Card>
      )
  }
}

interface CardProps {
  readonly state: NamesStatus['state']
  readonly icon: ReactNode
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

function Card({ state, icon, title, action, children }: CardProps) {
  return (
    <section className={styles.card} data-state={state} aria-label="Names model">
      <span className={styles.icon} aria-hidden>
        {icon}
      </span>
      <div className={styles.words}>
        <strong role="status">{title}</strong>
        {children}
      </div>
      {action}
    </section>
  )
}

function Steps({ step, ms, model }: { step: ModelStep; ms: number; model: ModelFacts | null }) {
  const now = modelSteps.indexOf(step)
  return (
    <>
      <progress className={styles.progress} max={modelSteps.length} value={now + 0.5} aria-label="Loading the model" />
      <ol className={styles.steps}>
        {modelSteps.map((each, at) => (
          <li key={each} data-step={at < now ? 'done' : at === now ? 'now' : 'later'}>
            {at < now && <Check aria-label="done" />}
            {stepWords[each]}
            {each === 'model' && model && `, ${bytes(model.bytes)}`}
          </li>
        ))}
        <li className={styles.time}>{(ms / 1000).toFixed(1)} s</li>
      </ol>
    </>
  )
}

function Facts({ model, trial }: { model: ModelFacts; trial: ModelTrial }) {
  return (
    <dl className={styles.facts}>
      <div>
        <dt>Finds</dt>
        <dd className={styles.labels}>
          {model.labels.map(({ label, type }) => (
            <span key={label} data-used={type !== null} title={type ? undefined : 'This label is not used.'}>
              <code>{label}</code> {labelWords(type)}
            </span>
          ))}
        </dd>
      </div>
      <div>
        <dt>Size</dt>
        <dd>
          {bytes(model.bytes)}, loaded in {duration(trial.loadMs)}
        </dd>
      </div>
      <div>
        <dt>Trial</dt>
        <dd>
          <p className={styles.trial}>{marked(trial)}</p>
          <p className={styles.took}>
            {trial.findings.some(({ type }) => type === 'PERSON')
              ? `This sentence took it ${duration(trial.ms)}.`
              : `It found no person in this sentence, in ${duration(trial.ms)}: it may be made for another language.`}
          </p>
        </dd>
      </div>
    </dl>
  )
}

function marked({ text, findings }: ModelTrial): ReactNode[] {
  const parts: ReactNode[] = []
  let at = 0
  for (const { start, end, type } of findings) {
    parts.push(
      text.slice(at, start),
      <mark key={start} data-type={type}>
        {text.slice(start, end)} <span>{typeWords(type)}</span>
      </mark>,
    )
    at = end
  }
  return [...parts, text.slice(at)]
}
