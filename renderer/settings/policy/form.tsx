import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { violationTypes } from '../../../src/contract/inspection.ts'
import { type Operation, operations, Policy, type PolicyAction } from '../../../src/contract/policy.ts'
import { type Isolation, riskLevels } from '../../../src/contract/run.ts'
import { rpc } from '../../state/queries.ts'
import { Risk } from '../../ui/risk.tsx'
import { Check, Choice, Group, NumberField, Several } from './fields.tsx'
import styles from './policy.module.css'

const actionWords: Record<PolicyAction, string> = {
  auto: 'goes ahead',
  approve: 'needs an approval',
  'four-eyes': 'needs four eyes',
  block: 'is blocked',
}

const operationWords: Record<Operation, string> = {
  deletion: 'Deletion',
  network: 'Network',
  database: 'Database',
  commands: 'Commands',
  externalApis: 'External APIs',
}

const isolationWords: Record<Exclude<Isolation, 'unconfined'>, string> = {
  jail: 'jail',
  container: 'container',
  'user-space kernel': 'user-space kernel',
  microvm: 'microVM',
  cloud: 'cloud',
}

const {
  thresholds,
  operations: operationShapes,
  blocked,
  fourEyes,
  minimumIsolation,
  models,
  tools,
  cloudLimits,
  sayWhy,
} = Policy.shape
const cloudShapes = cloudLimits.unwrap().shape

const providerWords: Record<string, string> = {
  local: 'on this machine',
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  compatible: 'OpenAI-compatible',
}

/** The kinds, and hosts that a policy file names. */
const providerChoices = (chosen: readonly string[]) =>
  [...new Set([...Object.keys(providerWords), ...chosen])].map(value => ({
    value,
    label: providerWords[value] ?? value,
  }))

/** Every rule of the policy but the trusted contexts, each with what it means, as its schema says it. */
export function PolicyForm({ policy, onChange }: { policy: Policy; onChange(policy: Policy): void }) {
  const people = useQuery(rpc.identities.list.queryOptions()).data ?? []
  return (
    <>
      <Group title="By risk" about={thresholds.description}>
        {riskLevels.map(level => (
          <Choice
            key={level}
            label={<Risk level={level} />}
            name={`${level} risk`}
            schema={thresholds.unwrap().shape[level]}
            words={actionWords}
            value={policy.thresholds[level]}
            onChange={action => onChange({ ...policy, thresholds: { ...policy.thresholds, [level]: action } })}
          />
        ))}
        <Choice
          label="Analyses"
          name="Analyses of the catalogue"
          schema={Policy.shape.analyses}
          words={actionWords}
          value={policy.analyses}
          onChange={analyses => onChange({ ...policy, analyses })}
        />
        <Check
          label="Ask about everything"
          about={Policy.shape.forceApproval.description}
          value={policy.forceApproval}
          onChange={forceApproval => onChange({ ...policy, forceApproval })}
        />
      </Group>
      <Group title="By what it does" about={operationShapes.description}>
        {operations.map(operation => (
          <Choice
            key={operation}
            label={operationWords[operation]}
            schema={operationShapes.unwrap().shape[operation]}
            words={actionWords}
            value={policy.operations[operation]}
            onChange={action => onChange({ ...policy, operations: { ...policy.operations, [operation]: action } })}
          />
        ))}
      </Group>
      <Group title="Four eyes" about={fourEyes.description}>
        <Choice
          label="From"
          name="Four eyes from"
          schema={fourEyes.unwrap().shape.from}
          words={{
            low: 'low risk',
            medium: 'medium risk',
            high: 'high risk',
            critical: 'critical risk',
            never: 'never',
          }}
          value={policy.fourEyes.from}
          onChange={from => onChange({ ...policy, fourEyes: { ...policy.fourEyes, from } })}
        />
        <Several
          label="Reviewers"
          about={fourEyes.unwrap().shape.reviewers.description}
          choices={people.map(each => ({ value: each.id, label: each.name }))}
          chosen={policy.fourEyes.reviewers}
          onChange={reviewers => onChange({ ...policy, fourEyes: { ...policy.fourEyes, reviewers } })}
        />
      </Group>
      <Group title="Never runs" about={blocked.description}>
        <Modules
          value={policy.blocked.imports}
          onChange={imports => onChange({ ...policy, blocked: { ...policy.blocked, imports } })}
        />
        <Several
          label="Findings"
          about={blocked.unwrap().shape.violations.description}
          choices={violationTypes.map(type => ({ value: type, label: type }))}
          chosen={policy.blocked.violations}
          onChange={violations => onChange({ ...policy, blocked: { ...policy.blocked, violations } })}
        />
      </Group>
      <Group title="At least this sandbox" about={minimumIsolation.description}>
        {riskLevels.map(level => (
          <Choice
            key={level}
            label={<Risk level={level} />}
            name={`Weakest confinement of ${level} risk`}
            schema={minimumIsolation.unwrap().shape[level]}
            words={isolationWords}
            value={policy.minimumIsolation[level]}
            onChange={least =>
              onChange({ ...policy, minimumIsolation: { ...policy.minimumIsolation, [level]: least } })
            }
          />
        ))}
        <Choice
          label="Without confinement"
          schema={Policy.shape.unconfined}
          words={actionWords}
          value={policy.unconfined}
          onChange={unconfined => onChange({ ...policy, unconfined })}
        />
        <Check
          label="User-space kernel"
          about={Policy.shape.userSpaceKernelAsMicrovm.description}
          value={policy.userSpaceKernelAsMicrovm}
          onChange={userSpaceKernelAsMicrovm => onChange({ ...policy, userSpaceKernelAsMicrovm })}
        />
      </Group>
      <Group title="Cloud" about={cloudLimits.description}>
        <Check
          label="Cloud"
          about={Policy.shape.cloud.description}
          value={policy.cloud}
          onChange={cloud => onChange({ ...policy, cloud })}
        />
        <NumberField
          label="Awake, in minutes"
          schema={cloudShapes.awakeMinutes}
          value={policy.cloudLimits.awakeMinutes}
          onChange={awakeMinutes => onChange({ ...policy, cloudLimits: { ...policy.cloudLimits, awakeMinutes } })}
        />
        {(['hoursPerMonth', 'sandboxesPerMonth'] as const).map(name => (
          <MostOfMonth
            key={name}
            label={name === 'hoursPerMonth' ? 'Hours in a month' : 'Sandboxes in a month'}
            schema={cloudShapes[name]}
            value={policy.cloudLimits[name]}
            onChange={most => onChange({ ...policy, cloudLimits: { ...policy.cloudLimits, [name]: most } })}
          />
        ))}
      </Group>
      <Group title="Models" about={models.description}>
        <Check
          label="Any provider"
          about="Every provider that is set up may be asked; otherwise only those chosen here"
          value={policy.models.providers === null}
          onChange={any => onChange({ ...policy, models: { ...policy.models, providers: any ? null : ['local'] } })}
        />
        {policy.models.providers !== null && (
          <Several
            label="Providers"
            about={models.unwrap().shape.providers.description}
            choices={providerChoices(policy.models.providers)}
            chosen={policy.models.providers}
            onChange={providers => onChange({ ...policy, models: { ...policy.models, providers } })}
          />
        )}
        <Choice
          label="Confidential"
          name="Models for confidential conversations"
          schema={models.unwrap().shape.confidential}
          words={{ none: 'no model', local: 'models of this machine', any: 'any model' }}
          value={policy.models.confidential}
          onChange={confidential => onChange({ ...policy, models: { ...policy.models, confidential } })}
        />
      </Group>
      <Group title="Tools of MCP servers" about={tools.description}>
        <Choice
          label="Changing"
          name="Tools that change something"
          schema={tools.unwrap().shape.writing}
          words={actionWords}
          value={policy.tools.writing}
          onChange={writing => onChange({ ...policy, tools: { ...policy.tools, writing } })}
        />
        <Choice
          label="Destroying"
          name="Tools that may destroy something"
          schema={tools.unwrap().shape.destroying}
          words={actionWords}
          value={policy.tools.destroying}
          onChange={destroying => onChange({ ...policy, tools: { ...policy.tools, destroying } })}
        />
      </Group>
      <Group title="Reasons" about={sayWhy.description}>
        <Check
          label="For a denial"
          about={sayWhy.unwrap().shape.deny.description}
          value={policy.sayWhy.deny}
          onChange={deny => onChange({ ...policy, sayWhy: { ...policy.sayWhy, deny } })}
        />
        <Check
          label="For an approval"
          about={sayWhy.unwrap().shape.approve.description}
          value={policy.sayWhy.approve}
          onChange={approve => onChange({ ...policy, sayWhy: { ...policy.sayWhy, approve } })}
        />
      </Group>
      <Group title="Time" about="How long an answer may take">
        <NumberField
          label="Dialog, in seconds"
          schema={Policy.shape.dialogSeconds}
          value={policy.dialogSeconds}
          onChange={dialogSeconds => onChange({ ...policy, dialogSeconds })}
        />
        <NumberField
          label="Request, in hours"
          schema={Policy.shape.requestHours}
          value={policy.requestHours}
          onChange={requestHours => onChange({ ...policy, requestHours })}
        />
      </Group>
    </>
  )
}
/** Takes effect on leaving, so that half a name is never part of the policy. */
function Modules({ value, onChange }: { value: readonly string[]; onChange(value: string[]): void }) {
  const id = useId()
  const schema = blocked.unwrap().shape.imports
  const [text, setText] = useState(value.join(', '))
  const [wrong, setWrong] = useState('')
  useEffect(() => setText(value.join(', ')), [value])
  const settle = () => {
    const names = [...new Set(text.split(/[\s,]+/).filter(Boolean))]
    const parsed = schema.safeParse(names)
    setWrong(parsed.success ? '' : 'A module is named by letters, digits, dots, slashes and dashes.')
    if (parsed.success && names.join() !== value.join()) onChange(names)
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        Modules
        <span className={styles.description}>{schema.description}</span>
        {wrong && <span className={styles.wrong}>{wrong}</span>}
      </label>
      <input
        id={id}
        value={text}
        placeholder="os, subprocess"
        spellCheck={false}
        aria-invalid={wrong !== ''}
        onChange={event => setText(event.target.value)}
        onBlur={settle}
        onKeyDown={event => event.key === 'Enter' && settle()}
      />
    </div>
  )
}

/** A limit that may be left to the settings. */
function MostOfMonth({
  label,
  schema,
  value,
  onChange,
}: {
  label: string
  schema: (typeof cloudShapes)['hoursPerMonth' | 'sandboxesPerMonth']
  value: number | null
  onChange(value: number | null): void
}) {
  return (
    <>
      <Check
        label={label}
        about={`${schema.description}; without this the settings say how many`}
        value={value !== null}
        onChange={isLimited => onChange(isLimited ? 10 : null)}
      />
      {value !== null && (
        <NumberField
          label={`Most ${label.toLowerCase()}`}
          schema={schema.unwrap().unwrap()}
          value={value}
          onChange={onChange}
        />
      )}
    </>
  )
}
