import type { Reviewer } from '../../approval/approval.ts'
import type { Identity } from '../../contract/approval.ts'
import type { UserId } from '../../contract/ids.ts'
import { Failure, type Outcome, ok } from '../../contract/problem.ts'
import type { Caller } from '../../conversations/conversations.ts'
import type { Engine } from '../../engine.ts'
import { Downloads } from './downloads.ts'
import { Uploads } from './uploads.ts'

/** One window's standing with the engine: whom it acts for, whom it reviews as, what it is sending. */
export class Session {
  readonly uploads = new Uploads()
  readonly downloads = new Downloads()
  /** What this person has looked at in this window: the record tells of each once, not of every scroll. */
  readonly #read = new Set<string>()
  readonly #engine: Engine
  #reviewer: Reviewer | null = null

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** A window that reviews as somebody else also acts as them, so that the record names the right person. */
  get caller(): Caller {
    const { caller } = this.#engine
    return this.#reviewer ? { tenant: caller.tenant, user: this.#reviewer.identity.id } : caller
  }

  /** The identity this window signs with: the one that was logged in, else the local user's. */
  async reviewer(): Promise<Reviewer> {
    if (this.#reviewer) return this.#reviewer
    const outcome = await this.#engine.approval.identities.logIn(this.#engine.caller.user)
    if (!outcome.ok) throw new Failure(outcome.problem.code, outcome.problem.message, outcome.problem.hint)
    this.#reviewer = outcome.value
    return outcome.value
  }

  async logIn(id: UserId, passphrase?: string): Promise<Outcome<Identity>> {
    const outcome = await this.#engine.approval.identities.logIn(id, passphrase)
    if (!outcome.ok) return outcome
    this.close()
    this.#reviewer = outcome.value
    return ok(outcome.value.identity)
  }

  /** Back to the local user. */
  async logOut(): Promise<Identity> {
    this.close()
    return (await this.reviewer()).identity
  }

  /** Puts on the record that this person looked at it. */
  async noteReading(what: string, details: Record<string, string | number>): Promise<void> {
    if (this.#read.has(what)) return
    this.#read.add(what)
    const { tenant, user } = this.caller
    await this.#engine.audit.record({ action: 'audit.read', tenant, actor: user, details })
  }

  close(): void {
    if (this.#reviewer) this.#engine.approval.identities.logOut(this.#reviewer)
    this.#reviewer = null
    this.#read.clear()
  }

  /** The window is gone. */
  end(): void {
    this.close()
    this.downloads.close()
  }
}
