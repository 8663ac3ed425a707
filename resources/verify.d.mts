import type { AuditEntry, Checkpoint, Finding, Verification } from '../src/contract/audit.ts'

export const nothingBefore: string
export function canonical(value: unknown): string
export function leafHash(previous: string, entry: string): string
export function nodeHash(left: string, right: string): string
export function textHash(text: string): string
/** A moment in words, to the second. */
export function time(at: number): string

export class Frontier {
  constructor(onSubtree?: ((level: number, place: number, root: string) => void) | null)
  readonly size: number
  clone(): Frontier
  push(hash: string, level?: number): void
  root(): string
}

export function rootOfProof(leaf: string, index: number, size: number, path: readonly string[]): string | null

export function fingerprint(publicKey: string): string
export function signatureHolds(statement: unknown, publicKey: string, signature: string): boolean

export interface TombstoneStatement {
  readonly log: string
  readonly first: number
  readonly last: number
  readonly count: number
  readonly before: number
  readonly reason: string
  readonly root: string
  readonly stretches: readonly (readonly number[])[]
  readonly at: number
  readonly key: string
}
export function checkpointStatement(checkpoint: Omit<Checkpoint, 'signature'>): { type: 'checkpoint' }
export function keyStatement(log: string | null, publicKey: string): { type: 'key' }
export function tombstoneStatement(tombstone: TombstoneStatement): TombstoneStatement & { type: 'tombstone' }

export class KeyRing {
  readonly log: string | null
  readonly keys: ReadonlyMap<string, string>
  readonly current: string | null
  learn(entry: AuditEntry, hash: string): string | null
  signed(statement: object, signature: string): boolean
}

export interface StoredEntry {
  readonly seq: number
  readonly hash: string
  readonly entry: string | null
}

export class ChainCheck {
  constructor(
    checkpoints?: readonly Checkpoint[],
    options?: {
      onBody?: ((hash: string, seq: number) => void) | null
      onSubtree?: ((level: number, place: number, root: string) => void) | null
    },
  )
  readonly decisions: number
  findNoCheckpoint(): void
  readonly findings: Finding[]
  readonly keyring: KeyRing
  readonly tree: Frontier
  readonly bodies: ReadonlyMap<string, number>
  readonly clock: { readonly setBack: number; readonly mostMs: number; readonly seq: number | null }
  readonly emptied: readonly number[]
  readonly checked: number
  take(row: StoredEntry): void
  takeAlone(row: { seq: number; hash: string; previous: string; entry: string }): void
  find(kind: Finding['kind'], message: string, seq?: number | null, last?: number | null): void
  findBody(hash: string, state: 'changed' | 'missing', seq: number): void
  finish(options?: { hasBody?: ((hash: string) => 'whole' | 'changed' | 'missing') | null }): Finding[]
}

export interface Bundle {
  readonly names: readonly string[]
  read(name: string): Buffer | null
  close(): void
}
export class BadBundle extends Error {}
export function openBundle(place: string): Bundle
export function bundleStatement<Manifest extends object>(
  manifest: Manifest,
): Omit<Manifest, 'signature'> & { type: 'bundle' }

export interface BundleVerification extends Omit<Verification, 'tookMs'> {
  readonly whole: boolean
  /** Reviewers' signatures that were checked. */
  readonly decisions: number
}
export function verifyBundle(
  bundle: Bundle,
  options?: { against?: readonly Checkpoint[]; trust?: string | null },
): BundleVerification
export function summaryOf(result: Omit<Verification, 'tookMs'> & { whole?: boolean }): string
