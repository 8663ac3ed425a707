import type { AuditEntry, InclusionProof } from '../../src/contract/audit.ts'

/** One level of the tree: on which side the neighbour stands, and what the two make together. */
export interface ProofStep {
  readonly side: 'left' | 'right'
  readonly neighbour: string
  readonly together: string
}

export interface ProofCheck {
  /** What is hashed, byte for byte. */
  readonly text: string
  readonly hash: string
  readonly steps: readonly ProofStep[]
  readonly root: string
  /** The entry hashes to what the record says, and leads to the root that was signed. */
  readonly holds: boolean
}

/** Follows an inclusion proof (RFC 9162) from the entry up to the signed root, by this window's own arithmetic. */
export async function checkProof(entry: AuditEntry, proof: InclusionProof): Promise<ProofCheck> {
  const text = canonical(entry)
  const hash = await sha256(new Uint8Array([0]), bytesOf(proof.previous), new TextEncoder().encode(text))
  const steps: ProofStep[] = []
  let root = hash
  let at = proof.seq
  let last = proof.checkpoint.size - 1
  for (const neighbour of proof.path) {
    const isRight = at % 2 === 1 || at === last
    const [left, right] = isRight ? [neighbour, root] : [root, neighbour]
    root = await sha256(new Uint8Array([1]), bytesOf(left), bytesOf(right))
    steps.push({ side: isRight ? 'left' : 'right', neighbour, together: root })
    // The last node of a level may have no neighbour there: it moves up until it has one.
    if (isRight) {
      while (at % 2 === 0 && at !== 0) {
        at = Math.floor(at / 2)
        last = Math.floor(last / 2)
      }
    }
    at = Math.floor(at / 2)
    last = Math.floor(last / 2)
  }
  const holds = hash === proof.hash && last === 0 && root === proof.checkpoint.root
  return { text, hash, steps, root, holds }
}

/** Canonical JSON (RFC 8785): keys in order, nothing between, numbers and texts as JavaScript writes them. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  const ordered = fields.sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${ordered.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`
}

async function sha256(...parts: readonly Uint8Array<ArrayBuffer>[]): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await new Blob([...parts]).arrayBuffer()))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
