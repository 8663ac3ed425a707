import { type SettingOrigin, Settings, settingOrigins } from '../contract/settings.ts'

/** Settings as somebody wrote them: two levels, values not yet trusted. */
export type Layer = Record<string, Record<string, unknown>>

export interface Resolved {
  settings: Settings
  origins: Record<string, SettingOrigin>
  /** What was written but could not be used, in words. */
  rejected: string[]
}

/** Lays the layers over the defaults, later over earlier. A value that does not fit is left out, not the whole layer. */
export function resolveSettings(layers: Partial<Record<SettingOrigin, Layer>>): Resolved {
  const rejected: string[] = []
  const origins: Record<string, SettingOrigin> = {}
  let merged: Layer = {}
  for (const origin of settingOrigins) {
    for (const [group, values] of Object.entries(layers[origin] ?? {})) {
      if (typeof values !== 'object' || values === null) {
        rejected.push(`${group} (${origin}): a group of settings was expected`)
        continue
      }
      for (const [name, value] of Object.entries(values)) {
        const path = `${group}.${name}`
        const next = { ...merged, [group]: { ...merged[group], [name]: value } }
        const issue = isKnown(group, name) ? Settings.safeParse(next).error?.issues[0]?.message : 'no such setting'
        if (issue) {
          rejected.push(`${path} (${origin}): ${issue}`)
          continue
        }
        merged = next
        origins[path] = origin
      }
    }
  }
  return { settings: Settings.parse(merged), origins, rejected }
}

const defaults: Layer = Settings.parse({})

const isKnown = (group: string, name: string) =>
  Object.hasOwn(defaults, group) && Object.hasOwn(defaults[group] ?? {}, name)

/** Names by which others know a setting. */
const shortNames: Readonly<Record<string, string>> = {
  COUNTERSIGN_SANDBOX_TYPE: 'SANDBOX_TYPE',
  COUNTERSIGN_CLOUD_DOMAIN: 'E2B_DOMAIN',
  COUNTERSIGN_CLOUD_TIMEOUT_MS: 'E2B_SANDBOX_TIMEOUT',
  COUNTERSIGN_CLOUD_TTL_MINUTES: 'E2B_DEFAULT_TTL_MINUTES',
  COUNTERSIGN_CLOUD_CLEANUP_MINUTES: 'E2B_CLEANUP_INTERVAL_MINUTES',
}

/** `COUNTERSIGN_SANDBOX_TYPE=docker`, or the short `SANDBOX_TYPE=docker`. Numbers and switches are read as such. */
export function environmentLayer(env: NodeJS.ProcessEnv): Layer {
  const layer: Layer = {}
  for (const [group, values] of Object.entries(defaults)) {
    for (const [name, standard] of Object.entries(values)) {
      const variable = `COUNTERSIGN_${group}_${name.replace(/[A-Z]/g, letter => `_${letter}`)}`.toUpperCase()
      const text = env[variable] ?? env[shortNames[variable] ?? '']
      if (text === undefined) continue
      layer[group] = { ...layer[group], [name]: readAs(standard, text) }
    }
  }
  return layer
}

function readAs(standard: unknown, text: string): unknown {
  if (typeof standard === 'number') return Number(text)
  if (typeof standard === 'boolean') return text === '1' || text === 'true'
  return text
}
