import { createHash } from 'node:crypto'
import type { Provider, ProviderId } from '../contract/chat.ts'
import { fail, type Outcome, ok } from '../contract/problem.ts'
import type { KeyStore } from '../keystore.ts'

type To = Pick<Provider, 'id' | 'baseUrl'>

/** Keys of providers, each kept for one address: whoever changes an address, in a row or in the settings, gets no key. */
export class ProviderKeys {
  readonly #store: Pick<KeyStore, 'get' | 'set'>

  constructor(store: Pick<KeyStore, 'get' | 'set'>) {
    this.#store = store
  }

  /** Null for a provider without one. Fails where the key was entered for another address. */
  async of(provider: To & Pick<Provider, 'hasKey' | 'name'>): Promise<Outcome<string | null>> {
    if (!provider.hasKey) return ok(null)
    const key = (await this.#read(nameOf(provider))) || (await this.#takeOver(provider))
    if (key) return ok(key)
    return fail(
      'chat.key',
      `There is no key for ${provider.name} at ${provider.baseUrl}: a key is kept for the address that it was entered for.`,
      'Enter the key again in the settings.',
    )
  }

  set(provider: To, key: string): Promise<void> {
    return this.#store.set(nameOf(provider), Buffer.from(key, 'utf8'))
  }

  async forget(provider: To): Promise<void> {
    for (const name of [nameOf(provider), withoutAddress(provider.id)])
      if (await this.#read(name)) await this.#store.set(name, new Uint8Array())
  }

  /** Versions before kept a key for a provider at any address: it counts for the one where it is used first. */
  async #takeOver(provider: To): Promise<string> {
    const key = await this.#read(withoutAddress(provider.id))
    if (!key) return ''
    await this.set(provider, key)
    await this.#store.set(withoutAddress(provider.id), new Uint8Array())
    return key
  }

  async #read(name: string): Promise<string> {
    return Buffer.from((await this.#store.get(name)) ?? []).toString('utf8')
  }
}

const withoutAddress = (id: ProviderId): string => `model-${id}`
const nameOf = ({ id, baseUrl }: To): string =>
  `${withoutAddress(id)}.${createHash('sha256').update(new URL(baseUrl).href).digest('hex').slice(0, 32)}`
