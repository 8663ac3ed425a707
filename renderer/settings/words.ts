import { z } from 'zod'
import type { SettingOrigin, Settings } from '../../src/contract/settings.ts'

/** The words of the settings screen. What is not named here is spelled from its declaration, so a new one just appears. */

export const groupWords: Record<keyof Settings, { title: string; lead: string }> = {
  appearance: { title: 'Appearance', lead: 'How it looks on this machine.' },
  sandbox: {
    title: 'Sandbox',
    lead: 'Where code runs, and how much it may use. Sandboxes opened from now on follow it.',
  },
  cloud: {
    title: 'Cloud',
    lead: 'The cloud sandbox: where its service is, how long it keeps sandboxes, and how much of it may be used. Nothing goes there until the policy and you, path by path, allow it.',
  },
  privacy: {
    title: 'Privacy',
    lead: 'How strictly text is held back on its way out. Enforce replaces what is found, report only notes it, off does not look.',
  },
  chat: {
    title: 'Assistant',
    lead: 'What an answer of a model may take. The models and their keys are under Models.',
  },
  audit: { title: 'Audit', lead: 'What the record keeps, and for how long.' },
  mcp: {
    title: 'MCP',
    lead: 'How other assistants connect, and how tools are found. The servers are on the MCP page.',
  },
  alerts: { title: 'Alerts', lead: 'How you hear of risky runs, of limits, and of damage to the record.' },
  telemetry: { title: 'Telemetry', lead: 'Nothing is sent unless you name a collector.' },
  log: { title: 'Log', lead: 'What the application writes down about itself.' },
}

export const originWords: Record<SettingOrigin, string> = {
  default: 'default',
  file: 'from config.json',
  environment: 'from the environment',
  screen: 'set here',
}

const labels: Record<string, string> = {
  'appearance.editorFontSize': 'Editor font',
  'sandbox.type': 'Kind of sandbox',
  'sandbox.template': 'Template of containers',
  'sandbox.timeoutSeconds': 'Time limit',
  'sandbox.keepMegabytes': 'Files of a path',
  'sandbox.pool': 'Kept ready',
  'cloud.domain': 'Domain of the service',
  'cloud.timeoutMs': 'Awake after use',
  'cloud.ttlMinutes': 'Given up after',
  'cloud.cleanupMinutes': 'Clean-up every',
  'cloud.pausedDays': 'Keep paused for',
  'cloud.hoursPerMonth': 'Hours in a month',
  'cloud.sandboxesPerMonth': 'Sandboxes in a month',
  'privacy.model': 'Language model',
  'privacy.cloudSandbox': 'Cloud sandbox',
  'privacy.log': 'Log file',
  'privacy.export': 'Exported files',
  'privacy.alert': 'Alerts',
  'privacy.namesModel': 'Names model',
  'privacy.namesByModel': 'Ask the model',
  'privacy.namesLeast': 'Minimum score of a name',
  'chat.stepsPerTurn': 'Requests for one answer',
  'chat.outputTokens': 'Length of an answer',
  'chat.windowTokens': 'Context window of unknown models',
  'chat.tokensPerConversation': 'Tokens of a conversation',
  'chat.costPerConversation': 'Cost of a conversation',
  'chat.costPerDay': 'Cost of a day',
  'chat.waitSeconds': 'Wait for a model',
  'chat.titles': 'Titles by the model',
  'audit.keepCode': 'Keep code',
  'mcp.http': 'HTTP for clients',
  'mcp.searchModel': 'Sentence model',
  'alerts.desktop': 'Desktop notifications',
}

/** How people are shown a number, and how many of the declared unit that is: nobody reads milliseconds. */
export interface Unit {
  readonly word: string
  readonly worth: number
}

const units: Record<string, Unit> = {
  Seconds: { word: 'seconds', worth: 1 },
  Minutes: { word: 'minutes', worth: 1 },
  Ms: { word: 'minutes', worth: 60_000 },
  Megabytes: { word: 'MB', worth: 1 },
  Days: { word: 'days', worth: 1 },
  Size: { word: 'pixels', worth: 1 },
  Tokens: { word: 'tokens', worth: 1 },
  tokensPerConversation: { word: 'tokens', worth: 1 },
  costPerConversation: { word: 'USD', worth: 1 },
  costPerDay: { word: 'USD', worth: 1 },
  hoursPerMonth: { word: 'hours', worth: 1 },
}

export const bare: Unit = { word: '', worth: 1 }

const choices: Record<string, string> = {
  e2b: 'E2B',
  gvisor: 'gVisor',
  microvm: 'microVM',
  system: 'As the system',
  on_error: 'On error',
}

/** `audit.retentionDays` → `Retention`; its unit stands behind the field. */
export function labelOf(path: string): string {
  if (labels[path]) return labels[path]
  const name = (path.split('.')[1] ?? path).replace(/(?<=.)(?:Seconds|Megabytes|Days)$/, '')
  return spelled(name.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`))
}

export const unitOf = (path: string): Unit =>
  Object.entries(units).find(([ending]) => path.endsWith(ending))?.[1] ?? bare

export const shownIn = ({ worth }: Unit, value: number): string =>
  String(worth === 1 ? value : Number((value / worth).toFixed(3)))

/** Where one of it is many of what is declared, a fraction of it is still a whole number of those. */
export const typedIn = ({ worth }: Unit, text: string): number =>
  text.trim() === '' ? Number.NaN : worth === 1 ? Number(text) : Math.round(Number(text) * worth)

export const choiceWords = (choice: string): string => choices[choice] ?? spelled(choice.replaceAll('_', ' '))

const spelled = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** How far the arrow keys of a number reach, and by how much each moves it: a share of one by twentieths, all else by one. */
export function boundsOf(schema: z.ZodType, { worth }: Unit = bare): { min?: number; max?: number; step: number } {
  const { minimum, maximum } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return {
    ...(minimum === undefined ? {} : { min: minimum / worth }),
    ...(maximum === undefined ? {} : { max: maximum / worth }),
    step: maximum !== undefined && maximum <= 1 ? 0.05 : 1,
  }
}

/** What is wrong with a value, for the person who typed it; null when it can be saved. */
export function complaintAbout(schema: z.ZodType, value: unknown, unit: Unit = bare): string | null {
  const result = schema.safeParse(value, { error: issue => wordsFor(issue, unit) })
  if (result.success) return null
  const [issue] = result.error.issues
  if (issue?.code !== 'invalid_union') return issue?.message ?? 'This cannot be saved.'
  // Of several forms the last is the one that people try to write; the others are ways to leave it empty.
  return issue.errors.at(-1)?.[0]?.message ?? issue.message
}

function wordsFor(issue: z.core.$ZodRawIssue, { worth }: Unit): string | undefined {
  switch (issue.code) {
    case 'too_small':
      return `Minimum is ${count(issue.minimum, worth)}${issue.origin === 'string' ? ' characters' : ''}.`
    case 'too_big':
      return `Maximum is ${count(issue.maximum, worth)}${issue.origin === 'string' ? ' characters' : ''}.`
    case 'invalid_type':
      return issue.expected === 'int' ? 'A whole number is needed.' : 'A number is needed.'
    case 'invalid_format':
      return 'An address that begins with http:// or https:// is needed, or nothing.'
    case 'invalid_value':
      return `One of ${issue.values.join(', ')} is needed.`
    default:
      return undefined
  }
}

const count = (value: number | bigint, worth: number): string => (Number(value) / worth).toLocaleString('en')
