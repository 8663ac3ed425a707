import { randomBytes } from 'node:crypto'
import type { AuthProvider } from '@modelcontextprotocol/client'
import type { Clock } from '../../clock.ts'
import type { HttpConfig, ServerLogin } from '../../contract/mcp-servers.ts'
import { fail, type Outcome, ok, type Problem } from '../../contract/problem.ts'
import type { KeyStore } from '../../keystore.ts'
import { type Callback, listenForCallback } from './callback.ts'
import { type Credentials, type Kept, openCredentials } from './credentials.ts'
import { nowhere, oauthProvider } from './provider.ts'
import { revoke } from './revocation.ts'
import { checkAddress, isLoopback, safeFetch } from './safe-fetch.ts'
import { SignIn } from './sign-in.ts'

export interface LoginOptions {
  readonly name: string
  /** With its secrets; null when the server has gone or is not reached over HTTP. */
  readonly config: () => Promise<HttpConfig | null>
  readonly keys: KeyStore
  readonly clock: Clock
  readonly changed?: () => void
}

/** A log-in that waits for the person at `url`. */
export interface Begun {
  readonly url: string
  readonly issuer: string
  readonly done: Promise<Outcome<void>>
}

/** What a server said when it last refused a request: where its rules stand, and which rights it wants. */
interface Challenge {
  readonly resourceMetadataUrl?: URL
  readonly scope?: string
}

const patienceMs = 10 * 60_000

/** Logging in at one server over HTTP: by the person once, and renewed behind their back as long as that is granted. */
export class Login {
  readonly #options: LoginOptions
  #challenge: Challenge = {}
  #abort: AbortController | null = null
  #renewing: Promise<void> | null = null
  /** The token as it was last read; undefined where it was not. */
  #token: string | null | undefined
  #shown: Pick<ServerLogin, 'state' | 'issuer' | 'url' | 'problem'> = quiet

  constructor(options: LoginOptions) {
    this.#options = options
  }

  /** For the transport: the token of each request, and what to do when it is refused. */
  get authProvider(): AuthProvider {
    return {
      token: async () => (await this.#current()) ?? undefined,
      onUnauthorized: async ({ response }) => {
        const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
        const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
        this.#challenge = { ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}), ...(scope ? { scope } : {}) }
        // Two requests that are refused at once renew once: a refresh token may be used a single time.
        this.#renewing ??= this.#renew().finally(() => {
          this.#renewing = null
        })
        await this.#renewing
      },
    }
  }

  /** The problem, where an error of a request means that the person has to log in. */
  async wanted(error: unknown): Promise<Problem | null> {
    const { InsufficientScopeError, computeScopeUnion } = await import('@modelcontextprotocol/client')
    const { signInProblem } = await import('./problems.ts')
    if (!(error instanceof InsufficientScopeError)) return signInProblem(this.#options.name, error)
    const { requiredScope, resourceMetadataUrl } = error
    const kept = await (await this.#means())?.credentials.read()
    const scope = computeScopeUnion(this.#challenge.scope, kept?.tokens?.scope, requiredScope)
    this.#challenge = { ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}), ...(scope ? { scope } : {}) }
    return signInProblem(this.#options.name, new SignIn('it wants more rights than you gave'))
  }

  async view(): Promise<ServerLogin> {
    if (this.#shown.state !== 'out') return this.#shown
    const kept = await (await this.#means())?.credentials.read()
    if (!kept?.tokens) return this.#shown
    return { ...quiet, state: 'in', issuer: kept.tokens.issuer ?? null }
  }

  cancel(): void {
    this.#abort?.abort()
  }

  /** Forgets the tokens here, and gives them back where that can be done. Resolves whether there were any. */
  async logout(): Promise<boolean> {
    this.cancel()
    const means = await this.#means()
    const kept = await means?.credentials.read()
    this.#token = null
    if (!means || !kept?.tokens) return false
    await means.credentials.change(each => ({ ...each, tokens: null }))
    await revoke(kept, means.config.oauth ?? {}, safeFetch(means.server))
    this.#options.changed?.()
    return true
  }

  /** Finds out where to log in, and waits there for the person. */
  async begin(): Promise<Outcome<Begun>> {
    const abort = new AbortController()
    this.#abort = abort
    this.#show({ ...quiet, state: 'finding' })
    const means = await this.#means()
    let callback: Callback | null = null
    try {
      if (!means) throw new Error('it is not reached over HTTP')
      const { server, config, credentials } = means
      checkAddress(server, server)
      const state = randomBytes(32).toString('base64url')
      const client = config.oauth ?? {}
      const listening = await listenForCallback(state, portOf(client.redirectPort, await credentials.read()))
      callback = listening
      abort.signal.addEventListener('abort', () => listening.close())
      let page: Pick<Begun, 'url' | 'issuer'> | null = null
      const provider = oauthProvider({
        ...{ server, client, credentials, state, redirectUrl: listening.redirectUrl },
        open: (url, issuer) => {
          page = { url: url.href, issuer }
        },
      })
      const { auth } = await import('@modelcontextprotocol/client')
      const asked = { serverUrl: server, fetchFn: safeFetch(server, abort.signal), ...this.#challenge }
      await auth(provider, { ...asked, forceReauthorization: true })
      const found = page as Pick<Begun, 'url' | 'issuer'> | null
      if (!found || abort.signal.aborted) throw new Error('it named no page to log in at')
      this.#show({ ...quiet, ...found, state: 'waiting' })
      const exchange = (authorizationCode: string, iss: string | undefined) =>
        auth(provider, { ...asked, authorizationCode, ...(iss === undefined ? {} : { iss }) })
      return ok({ ...found, done: this.#finish(listening, exchange, abort.signal) })
    } catch (error) {
      callback?.close()
      return this.#failed(error, abort.signal)
    }
  }

  async #finish(
    callback: Callback,
    exchange: (code: string, iss: string | undefined) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<Outcome<void>> {
    let isLate = false
    const stop = this.#options.clock.after(patienceMs, () => {
      isLate = true
      callback.close()
    })
    try {
      const answer = await callback.answer
      if (isLate) return this.#ended(tooLate)
      if (!answer.ok) return this.#ended(answer.problem)
      await exchange(answer.value.code, answer.value.iss)
      this.#challenge = {}
      this.#token = undefined
      this.#show(quiet)
      return ok(undefined)
    } catch (error) {
      return this.#failed(error, signal)
    } finally {
      stop()
    }
  }

  async #failed(error: unknown, signal: AbortSignal): Promise<Outcome<never>> {
    const { loginProblem } = await import('./problems.ts')
    return this.#ended(loginProblem(this.#options.name, error, signal))
  }

  #ended(problem: Problem): { ok: false; problem: Problem } {
    this.#show({ ...quiet, problem: problem.code === 'request.cancelled' ? null : problem })
    return { ok: false, problem }
  }

  #show(shown: ServerLogin): void {
    this.#shown = shown
    this.#options.changed?.()
  }

  async #current(): Promise<string | null> {
    if (this.#token !== undefined) return this.#token
    const means = await this.#means()
    // A token is not sent where others on the way can read it.
    const isSafe = means && (means.server.protocol === 'https:' || isLoopback(means.server))
    this.#token = isSafe ? ((await means.credentials.read()).tokens?.access_token ?? null) : null
    return this.#token
  }

  async #renew(): Promise<void> {
    const before = this.#token
    this.#token = undefined
    const now = await this.#current()
    // Another process of this person has renewed it.
    if (now && now !== before) return
    const means = await this.#means()
    const kept = await means?.credentials.read()
    if (!means || !kept?.tokens?.refresh_token)
      throw new SignIn(now ? 'your log-in has expired' : 'it wants you to log in')
    const { server, config, credentials } = means
    const provider = oauthProvider({
      ...{ server, credentials, client: config.oauth ?? {}, redirectUrl: nowhere, state: '' },
      open: () => {
        throw new SignIn('your log-in has ended')
      },
    })
    const { auth } = await import('@modelcontextprotocol/client')
    try {
      await auth(provider, { serverUrl: server, fetchFn: safeFetch(server), ...this.#challenge })
    } finally {
      this.#token = undefined
    }
  }

  async #means(): Promise<{ server: URL; config: HttpConfig; credentials: Credentials } | null> {
    const { name, keys } = this.#options
    const config = await this.#options.config()
    if (!config) return null
    return { server: new URL(config.url), config, credentials: openCredentials(name, config.url, keys) }
  }
}

const quiet: ServerLogin = { state: 'out', issuer: null, url: null, problem: null }

const tooLate = fail('mcp.login-failed', 'Nobody logged in within ten minutes.', 'Log in again.').problem

/** The port of before, where a client is registered for it; else any that is free. */
function portOf(fixed: number | undefined, { clients }: Kept): { wish: number; fixed: boolean } {
  if (fixed !== undefined) return { wish: fixed, fixed: true }
  const [before] = Object.values(clients).flatMap(each => each.redirect_uris ?? [])
  return { wish: Number(before && URL.canParse(before) ? new URL(before).port : 0), fixed: false }
}
