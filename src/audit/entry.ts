import { canonical, leafHash, nothingBefore, textHash } from '../../resources/verify.mjs'
import type { AuditEntry } from '../contract/audit.ts'
import type { AuditEvent } from './audit.ts'

/** The end of the chain: what the next entry is tied to. */
export interface Head {
  readonly seq: number
  readonly hash: string
}

export const beforeFirst: Head = { seq: -1, hash: nothingBefore }

export interface Stamp {
  readonly id: AuditEntry['id']
  readonly at: number
  readonly session: string
}

export interface SealedEntry extends Head {
  /** Canonical JSON: the bytes that are hashed, kept and exported. */
  readonly entry: string
  readonly bodies: readonly { readonly hash: string; readonly text: string }[]
}

/** Ties an event to the end of the chain. `personal` maps names to commitments made beforehand. */
export function sealEntry(
  head: Head,
  event: AuditEvent,
  stamp: Stamp,
  personal: Readonly<Record<string, string>> | undefined,
): SealedEntry {
  const seq = head.seq + 1
  const bodies = Object.entries(event.bodies ?? {}).map(([name, text]) => {
    if (!/^[a-zA-Z0-9._-]{1,64}$/.test(name)) throw new TypeError(`not a name for a text on the record: ${name}`)
    const clean = text.toWellFormed()
    return { name, text: clean, hash: textHash(clean) }
  })
  const entry = canonical({
    seq,
    id: stamp.id,
    at: stamp.at,
    session: stamp.session,
    tenant: event.tenant,
    actor: event.actor,
    action: event.action,
    ...(event.conversation !== undefined && { conversation: event.conversation }),
    ...(event.path !== undefined && { path: event.path }),
    ...(event.cell !== undefined && { cell: event.cell }),
    ...(event.run !== undefined && { run: event.run }),
    ...(event.request !== undefined && { request: event.request }),
    details: isPlain(event.details) ? event.details : clean(event.details),
    ...(bodies.length > 0 && { bodies: Object.fromEntries(bodies.map(({ name, hash }) => [name, hash])) }),
    ...(personal && { personal }),
  })
  return { seq, hash: leafHash(head.hash, entry), entry, bodies }
}

/** Nearly all details are, and need no copy. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return value !== undefined
  if (value === null) return true
  if (Array.isArray(value)) return value.every(isPlain)
  for (const key in value) {
    if (!isPlain((value as Record<string, unknown>)[key]) || !key.isWellFormed()) return false
  }
  return true
}

/**
 * What a program prints can hold halves of characters, and an optional field can be `undefined`; neither may keep an
 * entry off the record, so both are made plain JSON first.
 */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (Array.isArray(value)) return value.map(each => (each === undefined ? null : clean(each)))
  if (typeof value !== 'object' || value === null) return value
  const known = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(known.map(([key, each]) => [key.toWellFormed(), clean(each)]))
}
