import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { HttpConfig, ProcessConfig, type ServerConfig, ServerName, ServersFile } from '../contract/mcp-servers.ts'
import { Failure, fail, type Outcome, ok } from '../contract/problem.ts'
import type { KeyStore } from '../keystore.ts'

/**
 * `mcp.json` of the data folder, in the shape that other clients use too. Values of environment and headers are in the
 * key store; the file has their names.
 */
export interface Configs {
  list(): Record<string, ServerConfig>
  /** With its secrets, for the connection alone. */
  whole(name: string): Promise<ServerConfig | null>
  add(given: Readonly<Record<string, unknown>>): Promise<Outcome<string[]>>
  remove(name: string): Promise<boolean>
}

/** Stands in the file where the key store has the value. */
export const inKeyStore = '(in the key store)'

const Secrets = z.record(z.string(), z.string())

/** Names of servers have no dots, so that no two share a key. */
const keyOf = (name: string): string => `mcp-server.${name.replaceAll('_', '.')}`

export function openConfigs(home: string, keys: KeyStore): Configs {
  const file = join(home, 'mcp.json')
  let last: { readonly text: string; readonly servers: Record<string, ServerConfig> } | null = null
  /** The file is read each time, since a person or another process may change it; only another text is parsed. */
  const list = (): Record<string, ServerConfig> => {
    const text = readText(file)
    if (text === null) return {}
    if (text !== last?.text) last = { text, servers: readServers(file, text) }
    return last.servers
  }
  const save = (servers: Record<string, ServerConfig>) => writeWhole(file, { mcpServers: servers })

  /** Puts the secrets where they belong and returns what may stand in a file. */
  async function withoutSecrets(name: string, config: ServerConfig): Promise<ServerConfig> {
    const given = secretsOf(config)
    const fresh = Object.entries(given).filter(([, value]) => value !== inKeyStore)
    if (fresh.length === 0) return config
    const before = await stored(name)
    await keys.set(keyOf(name), Buffer.from(JSON.stringify({ ...before, ...Object.fromEntries(fresh) }), 'utf8'))
    return withSecrets(config, () => inKeyStore)
  }

  async function stored(name: string): Promise<Record<string, string>> {
    const bytes = await keys.get(keyOf(name))
    if (!bytes || bytes.length === 0) return {}
    return Secrets.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  }

  return {
    list,
    async whole(name) {
      const all = list()
      const config = Object.hasOwn(all, name) ? all[name] : undefined
      if (!config) return null
      // Somebody wrote a value into the file by hand, as other clients want it.
      const kept = await withoutSecrets(name, config)
      if (kept !== config) save({ ...all, [name]: kept })
      const secrets = await stored(name)
      return withSecrets(kept, key => secrets[key] ?? '')
    },
    async add(given) {
      const all = list()
      const read: [string, ServerConfig][] = []
      // One by one: a record would leave `__proto__` out and say that all is well.
      for (const [name, each] of Object.entries(given)) {
        const config = readConfig(name, each)
        if (!config.ok) return config
        if (Object.hasOwn(all, name))
          return fail('conflict', `There is a server named ${name} already.`, 'Remove it first.')
        read.push([name, config.value])
      }
      const added: Record<string, ServerConfig> = {}
      for (const [name, config] of read) added[name] = await withoutSecrets(name, config)
      save({ ...list(), ...added })
      return ok(Object.keys(added))
    },
    async remove(name) {
      const { [name]: _gone, ...rest } = list()
      if (!Object.hasOwn(list(), name)) return false
      save(rest)
      await keys.set(keyOf(name), new Uint8Array())
      return true
    },
  }
}

/** Of the kind that it looks like, so that what is wrong with it is said in its words. */
function readConfig(name: string, given: unknown): Outcome<ServerConfig> {
  const isHttp = typeof given === 'object' && given !== null && 'url' in given
  const parsed = z.tuple([ServerName, isHttp ? HttpConfig : ProcessConfig]).safeParse([name, given])
  if (parsed.success) return ok(parsed.data[1])
  const faults = parsed.error.issues.map(({ path: [part, ...path], message }) =>
    part === 0 ? `the name must be ${message}` : [path.join('.'), message].filter(Boolean).join(': '),
  )
  const why = `${name.slice(0, 80)}: ${faults.join('; ')}`.slice(0, 500)
  return fail('request.invalid', why, 'Correct it and add it again.')
}

/** No header has a blank in its name, so that the two do not meet. */
const clientSecret = 'client secret'

export function secretsOf(config: ServerConfig): Record<string, string> {
  if (!('url' in config)) return config.env
  const secret = config.oauth?.clientSecret
  return secret === undefined ? config.headers : { ...config.headers, [clientSecret]: secret }
}

function withSecrets(config: ServerConfig, value: (key: string) => string): ServerConfig {
  const all = Object.keys(secretsOf(config))
  const values = Object.fromEntries(all.filter(key => key !== clientSecret).map(key => [key, value(key)]))
  if (!('url' in config)) return { ...config, env: values }
  const oauth = all.includes(clientSecret) ? { oauth: { ...config.oauth, clientSecret: value(clientSecret) } } : {}
  return { ...config, headers: values, ...oauth }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function readServers(file: string, text: string): Record<string, ServerConfig> {
  const parsed = ServersFile.safeParse(parseJson(text))
  if (parsed.success) return parsed.data.mcpServers
  const why = z.prettifyError(parsed.error).slice(0, 300)
  throw new Failure('settings.corrupt', `${file} cannot be read: ${why}`, 'Correct it by hand.')
}

/** Whole or not at all, and for nobody else's eyes: arguments may hold keys. */
function writeWhole(file: string, value: unknown): void {
  const next = `${file}.${process.pid}.new`
  writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(next, file)
}
