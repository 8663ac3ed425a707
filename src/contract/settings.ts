import { z } from 'zod'
import { SandboxType } from './placement.ts'
import { TemplateName } from './templates.ts'

/** How strictly text is held back on its way to a destination. */
const egressMode = z.enum(['enforce', 'report', 'off'])

/** Every setting, once: its default, its bounds and what it means. `countersign doctor --settings` prints this. */
export const Settings = z.object({
  appearance: z
    .object({
      theme: z.enum(['system', 'light', 'dark']).default('system').describe('Light, dark, or as the system says'),
      editorFontSize: z.number().int().min(9).max(28).default(13).describe('Size of code, in pixels'),
    })
    .prefault({}),
  sandbox: z
    .object({
      type: SandboxType.default('auto').describe(
        'Where the code of a new path runs; `auto` takes the strongest on this machine for code of high and critical risk, and the quickest for the rest',
      ),
      timeoutSeconds: z.number().int().min(1).max(600).default(60).describe('Longest run, in seconds'),
      memoryMegabytes: z.number().int().min(64).max(65536).default(512).describe('Most memory that a sandbox may use'),
      keepMegabytes: z
        .number()
        .int()
        .min(16)
        .max(1_048_576)
        .default(2048)
        .describe('Most space that the kept files of a path may take'),
      template: TemplateName.default('default').describe('Template of the image that new containers are made from'),
      pool: z.number().int().min(0).max(16).default(2).describe('Sandboxes that are started ahead of need'),
      environment: z
        .string()
        .max(64)
        .default('')
        .describe('Python environment of conversations that chose none; empty means the interpreter below'),
      python: z.string().max(4096).default('').describe('Python interpreter; empty means the best one found'),
    })
    .prefault({}),
  cloud: z
    .object({
      domain: z
        .string()
        .max(253)
        .regex(/^$|^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'must be a host name')
        .default('')
        .describe('Host of the cloud sandbox service (E2B_DOMAIN); empty means E2B’s own'),
      timeoutMs: z
        .number()
        .int()
        .min(60_000)
        .max(86_400_000)
        .default(600_000)
        .describe(
          'How long the service keeps a sandbox awake after its last use (E2B_SANDBOX_TIMEOUT, in milliseconds); then it is paused with its variables',
        ),
      ttlMinutes: z
        .number()
        .int()
        .min(1)
        .max(1440)
        .default(30)
        .describe('Minutes without use after which a path gives up its cloud sandbox (E2B_DEFAULT_TTL_MINUTES)'),
      cleanupMinutes: z
        .number()
        .int()
        .min(1)
        .max(1440)
        .default(15)
        .describe('Minutes between two clean-ups (E2B_CLEANUP_INTERVAL_MINUTES); counts from the next start'),
      pausedDays: z
        .number()
        .int()
        .min(1)
        .max(365)
        .default(7)
        .describe('Days after which a paused sandbox is ended for good'),
      hoursPerMonth: z.number().min(0).max(100_000).default(50).describe('Most hours of cloud sandboxes in a month'),
      sandboxesPerMonth: z.number().int().min(0).max(100_000).default(200).describe('Most cloud sandboxes in a month'),
    })
    .prefault({}),
  privacy: z
    .object({
      model: egressMode.default('enforce').describe('Text on its way to a language model'),
      cloudSandbox: egressMode.default('enforce').describe('Code and files on their way to a cloud sandbox'),
      log: egressMode.default('enforce').describe('Text on its way to the log file'),
      export: egressMode.default('report').describe('Text on its way to an exported file'),
      alert: egressMode.default('enforce').describe('Text on its way to a webhook or notification'),
      telemetry: egressMode.default('enforce').describe('Text on its way to a telemetry collector'),
      namesModel: z
        .string()
        .max(4096)
        .default('')
        .describe('Folder of a token-classification model for names; empty means rules only'),
      namesByModel: z.boolean().default(true).describe('Whether the model is asked; rules always are'),
      namesLeast: z
        .number()
        .min(0.6)
        .max(0.85)
        .default(0.6)
        .describe('How sure the model must be of a name, from 0.6 to 0.85; a model never counts for more than 0.85'),
    })
    .prefault({}),
  chat: z
    .object({
      stepsPerTurn: z.number().int().min(1).max(100).default(16).describe('Most requests to a model for one answer'),
      outputTokens: z
        .number()
        .int()
        .min(256)
        .max(200_000)
        .default(8192)
        .describe('Longest text that a model may write at once, in tokens'),
      windowTokens: z
        .number()
        .int()
        .min(2048)
        .max(2_000_000)
        .default(32_768)
        .describe('Context window of a model that does not report its own, in tokens'),
      tokensPerConversation: z
        .number()
        .int()
        .min(1000)
        .default(5_000_000)
        .describe('Most tokens that one conversation may use'),
      costPerConversation: z
        .number()
        .min(0)
        .max(100_000)
        .default(10)
        .describe('Most that the models of one conversation may cost, in US dollars'),
      costPerDay: z
        .number()
        .min(0)
        .max(100_000)
        .default(50)
        .describe('Most that all models may cost in a day, in US dollars'),
      waitSeconds: z
        .number()
        .int()
        .min(5)
        .max(600)
        .default(90)
        .describe('How long a model may be silent before it counts as gone'),
      titles: z.boolean().default(true).describe('Let the model that answers name an untitled conversation'),
    })
    .prefault({}),
  audit: z
    .object({
      retentionDays: z
        .number()
        .int()
        .min(1)
        .max(36500)
        .default(90)
        .describe('Days after which entries are removed; until somebody has chosen, all are kept'),
      keepCode: z.enum(['always', 'on_error', 'never']).default('always').describe('When the code itself is kept'),
    })
    .prefault({}),
  mcp: z
    .object({
      http: z.boolean().default(false).describe('Let MCP clients of this machine connect by HTTP while this is open'),
      port: z.number().int().min(1024).max(65_535).default(7118).describe('Port on 127.0.0.1 for MCP clients'),
      searchModel: z
        .string()
        .max(4096)
        .default('')
        .describe('Folder of a sentence model for finding tools; empty means the one that is built in'),
    })
    .prefault({}),
  alerts: z
    .object({
      desktop: z.boolean().default(true).describe('For risky runs, for limits and for damage to the record'),
      webhook: z
        .union([z.literal(''), z.url({ protocol: /^https?$/ })])
        .default('')
        .describe('Address that is sent a JSON message; empty means none'),
      workflows: z
        .boolean()
        .default(false)
        .describe('Send the webhook a message when a workflow starts, completes, fails or is aborted'),
    })
    .prefault({}),
  telemetry: z
    .object({
      endpoint: z
        .union([z.literal(''), z.url({ protocol: /^https?$/ })])
        .default('')
        .describe('OTLP collector; empty means that nothing is sent'),
    })
    .prefault({}),
  log: z
    .object({
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info').describe('What is written to the log file'),
    })
    .prefault({}),
})
export type Settings = z.infer<typeof Settings>

/** A change from the settings screen: any part of the tree. `null` takes back what the screen had set. */
export const SettingsChange = z.record(z.string(), z.record(z.string(), z.json()))
export type SettingsChange = z.infer<typeof SettingsChange>

/** What is shown of an interpreter before it is chosen. It is not started for that. */
export const ProgramFacts = z.object({
  path: z.string(),
  /** Where the path leads when its links are followed. */
  real: z.string(),
  owner: z.enum(['you', 'root']),
  bytes: z.number(),
  modifiedAt: z.number(),
  sha256: z.string(),
})
export type ProgramFacts = z.infer<typeof ProgramFacts>

/** Where a setting's value comes from: the later wins. */
export const settingOrigins = ['default', 'file', 'environment', 'screen'] as const
export const SettingOrigin = z.enum(settingOrigins)
export type SettingOrigin = z.infer<typeof SettingOrigin>

export const SettingsView = z.object({
  settings: Settings,
  /** By path, e.g. `sandbox.type`. */
  origins: z.record(z.string(), SettingOrigin),
})
export type SettingsView = z.infer<typeof SettingsView>

/** How many days the record is kept; null while nobody has said so, on the screen, in a file or in the environment. */
export const retentionChosen = ({ settings, origins }: SettingsView): number | null =>
  (origins['audit.retentionDays'] ?? 'default') === 'default' ? null : settings.audit.retentionDays
