import type { Reviewer } from '../../approval/approval.ts'
import type { Identity, SignOnce } from '../../contract/approval.ts'
import type { UserId } from '../../contract/ids.ts'
import { Failure, fail, type Outcome, ok } from '../../contract/problem.ts'
import type { Caller } from '../../conversations/conversations.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Reading } from '../../reading.ts'
import { Downloads } from './downloads.ts'
import { Uploads } from './uploads.ts'

/** One window's standing with the engine: whom it acts for, whom it reviews as, what it is sending. */
export class Session {
  readonly uploads = new Uploads()
  readonly downloads = new Downloads()
  readonly #engine: Engine
  readonly #local: Caller
  /** The record as this person reads it in this window. */
  #reading: Outcome<Reading> | null = null
  #reviewer: Reviewer | null = null

  /** `local` is whom the window acts for until somebody logs in. */
  constructor(engine: Engine, local = engine.caller) {
    this.#engine = engine
    this.#local = local
  }

  /** A window that reviews as somebody else also acts as them, so that the record names the right person. */
  get caller(): Caller {
    return this.#reviewer ? { tenant: this.#local.tenant, user: this.#reviewer.identity.id } : this.#local
  }

  /** The identity this window signs with: the one that was logged in, else the local user's. */
  async reviewer(): Promise<Reviewer> {
    if (this.#reviewer) return this.#reviewer
    const outcome = await this.#engine.approval.identities.logIn(this.#local.user)
    if (!outcome.ok) throw new Failure(outcome.problem.code, outcome.problem.message, outcome.problem.hint)
    this.#reviewer = outcome.value
    return outcome.value
  }

  async logIn(id: UserId, passphrase?: string): Promise<Outcome<Identity>> {
    const outcome = await this.#open(id, passphrase)
    if (!outcome.ok) return outcome
    this.close()
    this.#reviewer = outcome.value
    return ok(outcome.value.identity)
  }

  /** Signs with this window's identity, or once with another's, which is logged out when that is done. */
  async signing<T>(once: SignOnce | undefined, work: (reviewer: Reviewer) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    if (!once) return work(await this.reviewer())
    const outcome = await this.#open(once.id, once.passphrase)
    if (!outcome.ok) return outcome
    try {
      return await work(outcome.value)
    } finally {
      this.#engine.approval.identities.logOut(outcome.value)
    }
  }

  async #open(id: UserId, passphrase?: string): Promise<Outcome<Reviewer>> {
    const outcome = await this.#engine.approval.identities.logIn(id, passphrase)
    if (!outcome.ok || outcome.value.identity.tenant === this.#local.tenant) return outcome
    this.#engine.approval.identities.logOut(outcome.value)
    return fail('identity.unknown', 'There is no such identity.', 'Choose another one.')
  }

  /** Back to the local user. */
  async logOut(): Promise<Identity> {
    this.close()
    return (await this.reviewer()).identity
  }

  record(): Outcome<Reading> {
    this.#reading ??= this.#engine.readRecord(this.caller)
    return this.#reading
  }

  close(): void {
    if (this.#reviewer) this.#engine.approval.identities.logOut(this.#reviewer)
    this.#reviewer = null
    this.#reading = null
  }

  /** The window is gone. */
  end(): void {
    this.close()
    this.downloads.close()
  }
}
