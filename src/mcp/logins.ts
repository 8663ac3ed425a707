import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { Caller } from '../contract/caller.ts'
import type { TenantId } from '../contract/ids.ts'
import type { ServerLogin } from '../contract/mcp-servers.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { KeyStore } from '../keystore.ts'
import type { Configs } from './config.ts'
import type { Connection } from './connection.ts'
import { forgetCredentials } from './oauth/credentials.ts'
import { type Begun, Login } from './oauth/login.ts'

/** Log-ins at the servers that are reached over HTTP, on the record. */
export interface Logins {
  /** Null for a program of this machine. */
  of(name: string): Login | null
  view(name: string): Promise<ServerLogin | null>
  begin(who: Caller, name: string, connection: Connection): Promise<Outcome<Begun>>
  cancel(name: string): void
  logout(who: Caller, name: string, connection: Connection): Promise<Outcome<void>>
  forget(name: string): Promise<void>
  close(): void
}

export interface LoginsOptions {
  readonly configs: Configs
  readonly keys: KeyStore
  readonly clock: Clock
  readonly audit: Audit
  readonly tenant: TenantId
  readonly changed?: () => void
}

export function createLogins({ configs, keys, clock, audit, tenant, changed }: LoginsOptions): Logins {
  const logins = new Map<string, Login>()
  /** One at a time: who asks again gets the same page. */
  const begun = new Map<string, Promise<Outcome<Begun>>>()
  const isHttp = (name: string) => {
    const all = configs.list()
    const config = Object.hasOwn(all, name) ? all[name] : undefined
    return config !== undefined && 'url' in config
  }
  const of = (name: string): Login | null => {
    if (!isHttp(name)) return null
    const known = logins.get(name)
    if (known) return known
    const config = async () => {
      const whole = await configs.whole(name)
      return whole && 'url' in whole ? whole : null
    }
    const made = new Login({ name, config, keys, clock, ...(changed ? { changed } : {}) })
    logins.set(name, made)
    return made
  }
  const record = (who: Caller, action: 'mcp.logged-in' | 'mcp.logged-out', details: Record<string, string>) =>
    audit.record({ action, tenant, actor: who.user, details })

  async function begin(who: Caller, name: string, login: Login, connection: Connection): Promise<Outcome<Begun>> {
    // What it asks of the person it says when it is asked for something.
    if (connection.health.state !== 'sign-in') await connection.tools()
    const page = await login.begin()
    if (!page.ok) return page
    const { issuer } = page.value
    const done = page.value.done.then(async ended => {
      if (!ended.ok) return ended
      await record(who, 'mcp.logged-in', { server: name, issuer })
      await connection.restart()
      return ended
    })
    return ok({ ...page.value, done })
  }

  return {
    of,
    view: async name => (await of(name)?.view()) ?? null,
    async begin(who, name, connection) {
      const login = of(name)
      if (!login) return noLogin(name)
      const known = begun.get(name)
      if (known) return known
      const beginning = begin(who, name, login, connection)
      begun.set(name, beginning)
      void beginning
        .then(async page => page.ok && (await page.value.done))
        .catch(() => undefined)
        .finally(() => begun.delete(name))
      return beginning
    },
    cancel: name => logins.get(name)?.cancel(),
    async logout(who, name, connection) {
      const login = of(name)
      if (!login) return noLogin(name)
      if (!(await login.logout()))
        return fail('conflict', `You are not logged in at ${name}.`, 'There is nothing to do.')
      await connection.close()
      await record(who, 'mcp.logged-out', { server: name })
      return ok(undefined)
    },
    async forget(name) {
      logins.get(name)?.cancel()
      logins.delete(name)
      await forgetCredentials(name, keys)
    },
    close() {
      for (const login of logins.values()) login.cancel()
      logins.clear()
    },
  }
}

const noLogin = (name: string) =>
  fail('conflict', `${name} is a program of this machine.`, 'Only servers with an address have a log-in.')
