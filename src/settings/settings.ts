import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../clock.ts'
import { type Outcome, ok, type Problem, problem } from '../contract/problem.ts'
import type { Settings, SettingsChange, SettingsView } from '../contract/settings.ts'
import { environmentLayer, type Layer, resolveSettings } from './layers.ts'

export { hostsOnly } from './recorded.ts'

/** The settings in force: defaults < `config.json` (yours) < environment < `settings.json` (the screen's). */
export interface SettingsStore {
  readonly current: Settings
  view(): SettingsView
  /** What could not be read or used at the start; shown once, nothing was thrown away. */
  readonly problems: readonly Problem[]
  change(change: SettingsChange): Outcome<Settings>
  onChange(listener: (settings: Settings) => void): () => void
}

export function openSettings(home: string, env: NodeJS.ProcessEnv, clock: Clock): SettingsStore {
  const problems: Problem[] = []
  const file = readLayer(join(home, 'config.json'), problems, clock)
  const screenFile = join(home, 'settings.json')
  let screen = readLayer(screenFile, problems, clock)
  const environment = environmentLayer(env)
  const resolve = (layer: Layer) => resolveSettings({ file, environment, screen: layer })
  let resolved = resolve(screen)
  problems.push(
    ...resolved.rejected.map(line =>
      problem('settings.invalid', `A setting was left out: ${line}.`, 'Correct it; the default is in force.'),
    ),
  )
  const listeners = new Set<(settings: Settings) => void>()

  return {
    get current() {
      return resolved.settings
    },
    view: () => ({ settings: resolved.settings, origins: resolved.origins }),
    problems,
    change(change) {
      const next: Layer = { ...screen }
      for (const [group, values] of Object.entries(change)) {
        // No setting is ever null: it takes back what the screen had said, and the layer below shows again.
        const merged = Object.entries({ ...next[group], ...values }).filter(([, value]) => value !== null)
        next[group] = Object.fromEntries(merged)
      }
      const attempt = resolve(next)
      const refused = attempt.rejected.find(line => line.includes('(screen)'))
      if (refused) {
        return {
          ok: false,
          problem: problem('settings.invalid', `That cannot be set: ${refused}.`, 'Nothing was changed.'),
        }
      }
      const failure = writeWhole(screenFile, `${JSON.stringify(next, null, 2)}\n`)
      if (failure) return { ok: false, problem: failure }
      screen = next
      resolved = attempt
      for (const listener of listeners) listener(resolved.settings)
      return ok(resolved.settings)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Reads a file of settings. A damaged one is set aside under another name, so that it can be looked at and mended. */
function readLayer(file: string, problems: Problem[], clock: Clock): Layer {
  if (!existsSync(file)) return {}
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Error('not an object')
    return parsed as Layer
  } catch (error) {
    const aside = `${file}.damaged-${clock.now()}`
    const reason = error instanceof Error ? error.message : String(error)
    try {
      renameSync(file, aside)
    } catch {
      // On a read-only disk it stays where it is, and is read again next time.
    }
    problems.push(
      problem(
        'settings.corrupt',
        `The settings in ${file} could not be read (${reason}).`,
        `They are kept in ${aside}; defaults are in force.`,
      ),
    )
    return {}
  }
}

/** Replaces a file so that a crash leaves the old one or the new one, never half of one. */
export function writeWhole(file: string, text: string): Problem | null {
  const beside = `${file}.new`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const handle = openSync(beside, 'w', 0o600)
    try {
      writeSync(handle, text)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    renameSync(beside, file)
    return null
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return problem(
      'settings.unwritable',
      `Settings could not be saved: ${reason}.`,
      'Check the disk; the old settings stay in force.',
    )
  }
}
