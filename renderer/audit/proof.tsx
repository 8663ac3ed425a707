import { BadgeCheck, BadgeX, Save } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { AuditDetail, AuditEntry, InclusionProof } from '../../src/contract/audit.ts'
import { download } from '../home/upload.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Hash } from './copy.tsx'
import styles from './entry.module.css'
import { momentOf } from './format.ts'
import { checkProof, type ProofCheck } from './proof-check.ts'
import { counted } from './words.ts'

/** That the entry is on the record, unchanged: by which key it is signed, and how anyone can check it. */
export function Proof({ detail: { item, proof } }: { detail: AuditDetail }) {
  const check = useCheck(item.entry, proof)
  return (
    <section className={styles.section} aria-label="Proof">
      <h3>Proof</h3>
      {check && (
        <p className={check.holds ? styles.good : styles.bad}>
          {check.holds ? <BadgeCheck aria-hidden /> : <BadgeX aria-hidden />}
          <span>
            {check.holds
              ? 'This window followed the entry up to the signed root: it is on the record, unchanged.'
              : 'The entry does not lead to the signed root.'}
          </span>
        </p>
      )}
      {!proof && <p className={styles.soft}>Not signed yet; this takes a moment.</p>}
      <dl className={styles.facts}>
        <Fact name="Entry hash" value={item.hash} />
        {proof && (
          <>
            <Fact name="Entry before" value={proof.previous} />
            <Fact name="Signed root" value={proof.checkpoint.root} />
            <Fact name="Signing key" value={proof.checkpoint.key} />
            <div>
              <dt>Signed over</dt>
              <dd>
                {counted(proof.checkpoint.size, 'entry', 'entries')}, {momentOf(proof.checkpoint.at)}
              </dd>
            </div>
          </>
        )}
      </dl>
      {proof && check && <ByHand proof={proof} check={check} />}
    </section>
  )
}

function useCheck(entry: AuditEntry, proof: InclusionProof | null): ProofCheck | null {
  const [check, setCheck] = useState<ProofCheck | null>(null)
  useEffect(() => {
    let gone = false
    if (proof) void checkProof(entry, proof).then(made => !gone && setCheck(made), showProblem)
    return () => {
      gone = true
    }
  }, [entry, proof])
  return check
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <Hash value={value} label={name.toLowerCase()} />
      </dd>
    </div>
  )
}

/** The same with nothing but a shell: what to hash, with what, and what must come out. */
function ByHand({ proof, check }: { proof: InclusionProof; check: ProofCheck }) {
  const file = `entry-${proof.seq}.json`
  return (
    <details className={styles.fold}>
      <summary>How to check it by hand</summary>
      <ol>
        <li>
          Save the entry as it was hashed: canonical JSON (RFC 8785), without a line break at its end.
          <Button icon={<Save />} onClick={() => download(file, 'application/json', check.text)}>
            Save {file}
          </Button>
        </li>
        <li>
          Hash a zero byte, the hash of the entry before, and the entry. The entry hash above must come out.
          <pre>{`(printf '\\0'; printf ${proof.previous} | xxd -r -p; cat ${file}) | sha256sum`}</pre>
        </li>
        {check.steps.length > 0 && (
          <li>
            Go up the tree (RFC 9162): hash a byte 01 and the two neighbours, left before right. After the last of
            these, the signed root must come out.
            <ol>
              {check.steps.map(step => (
                <li key={step.neighbour}>
                  {step.side} neighbour <Hash value={step.neighbour} label={`the ${step.side} neighbour`} />
                </li>
              ))}
            </ol>
          </li>
        )}
        <li>
          The root is signed with Ed25519. A bundle holds the keys, the signatures and <code>verify.mjs</code>, which
          checks everything with Node.js and nothing else.
        </li>
      </ol>
    </details>
  )
}
