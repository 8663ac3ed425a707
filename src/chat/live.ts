import type { Clock } from '../clock.ts'
import type { LivePart, TurnId, Writing } from '../contract/chat.ts'
import type { ItemId } from '../contract/conversations.ts'
import type { PathId, TenantId } from '../contract/ids.ts'
import { type Desk, tell } from './desk.ts'

/** One frame: a model that writes a hundred words a second costs a window sixty events. */
const gatherMs = 16

/** What a model is writing, as windows see it: gathered, and whole for a window that comes in the middle. */
export class LiveText {
  /** Which request of the turn this is: what a window has of another one is not gone on with. */
  step = 0
  readonly #parts: LivePart[] = []
  readonly #desk: Pick<Desk, 'events'> & { readonly clock: Clock }
  readonly #turn: TurnId
  readonly #path: PathId
  readonly #tenant: TenantId
  readonly #gathered = new Map<number, LivePart>()
  #cancel: (() => void) | null = null

  constructor(desk: Pick<Desk, 'events'> & { readonly clock: Clock }, turn: TurnId, path: PathId, tenant: TenantId) {
    this.#desk = desk
    this.#turn = turn
    this.#path = path
    this.#tenant = tenant
  }

  get written(): Writing {
    return { turn: this.#turn, step: this.step, parts: [...this.#parts] }
  }

  show(at: number, part: LivePart): void {
    this.#parts[at] = joined(this.#parts[at], part)
    this.#gathered.set(at, joined(this.#gathered.get(at), part))
    if (this.#cancel) return
    // The first word goes out at once: it is what the person waits for.
    this.flush()
    this.#cancel = this.#desk.clock.after(gatherMs, () => {
      this.#cancel = null
      this.flush()
    })
  }

  flush(): void {
    const about = { turn: this.#turn, path: this.#path, step: this.step }
    for (const [at, part] of this.#gathered) {
      const from = (this.#parts[at]?.text.length ?? 0) - part.text.length
      tell(this.#desk, this.#tenant, { kind: 'delta', ...about, at, from, part })
    }
    this.#gathered.clear()
  }

  /** The step is on the path, as these items: what was shown of it goes. */
  settle(items: readonly ItemId[] = []): void {
    this.#cancel?.()
    this.#cancel = null
    this.flush()
    this.#parts.length = 0
    const about = { turn: this.#turn, path: this.#path, step: this.step }
    tell(this.#desk, this.#tenant, { kind: 'settled', ...about, items: [...items] })
  }
}

const joined = (before: LivePart | undefined, part: LivePart): LivePart =>
  before ? { ...before, language: part.language ?? before.language, text: before.text + part.text } : part
