import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { ConversationId } from '../../src/contract/ids.ts'
import type { Allowed, NewAllowed, ShownFinding } from '../../src/contract/privacy.ts'
import { client, problemFrom } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
import styles from './dialogs.module.css'
import { allowedWords, useWords } from './words.ts'

interface AllowProps {
  readonly finding: ShownFinding
  /** The value, where it may be shown; a hidden one is allowed by its token. */
  readonly value: string | null
  /** The conversation whose token it is; null for a text that was only tried. */
  readonly of: ConversationId | null
  onClose(): void
  onChanged(): void
}

/** Says of a finding that it is none: this value or a form, here or everywhere. */
export function AllowDialog({ finding, value, of, onClose, onChanged }: AllowProps) {
  const words = useWords()
  const here = useView(view => view.conversation)
  const [kind, setKind] = useState<Allowed['kind']>('exact')
  const [pattern, setPattern] = useState(value ? suggested(value) : '')
  const [scope, setScope] = useState<'here' | 'everywhere'>(here ? 'here' : 'everywhere')
  const [anyType, setAnyType] = useState(false)
  const [note, setNote] = useState('')
  const [patternId, noteId] = [useId(), useId()]
  const entry: NewAllowed = {
    kind,
    value: kind === 'exact' ? (value ?? '') : pattern.trim(),
    type: anyType ? null : finding.type,
    conversation: scope === 'here' ? here : null,
    note: note.trim(),
  }
  const allow = useMutation({
    mutationFn: () => {
      if (kind === 'pattern' || value !== null || !of) return client.privacy.allow(entry)
      const { type, conversation } = entry
      return client.privacy.allowToken({ token: finding.token, of, type, conversation, note: entry.note })
    },
    onSuccess: made => {
      onClose()
      changed()
      showToast({
        kind: 'good',
        text:
          kind === 'exact'
            ? `${finding.token} is allowed now.`
            : `Everything of the form ${made.value} is allowed now.`,
        action: { label: 'Undo', run: () => void client.privacy.disallow(made.id).then(changed).catch(showProblem) },
      })
    },
  })
  const changed = () => {
    void queryClient.invalidateQueries({ queryKey: rpc.privacy.allowed.key() })
    onChanged()
  }
  const shown = value === null ? `The value behind ${finding.token}` : `“${short(value)}”`
  const incomplete = kind === 'pattern' && entry.value === ''
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Allow ${finding.token}`}
      description="For what was found and is not private. It is on the record, and can be taken back."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" disabled={incomplete} busy={allow.isPending} onClick={() => allow.mutate()}>
            Allow
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <div className={styles.choices}>
          <Segmented
            label="What is allowed"
            value={kind}
            choices={[
              { value: 'exact', label: 'This value' },
              { value: 'pattern', label: 'A pattern' },
            ]}
            onChange={setKind}
          />
          <Segmented
            label="Where"
            value={scope}
            choices={[
              { value: 'here', label: 'This conversation', disabled: !here },
              { value: 'everywhere', label: 'Everywhere' },
            ]}
            onChange={setScope}
          />
        </div>
        {kind === 'pattern' && (
          <>
            <label htmlFor={patternId}>Pattern</label>
            <input
              id={patternId}
              className={styles.code}
              value={pattern}
              maxLength={1000}
              placeholder="*@example.com"
              autoComplete="off"
              spellCheck={false}
              onChange={event => setPattern(event.target.value)}
            />
            <p className={styles.hint}>
              <code>*</code> stands for anything, <code>?</code> for one character. The whole value must match.
            </p>
          </>
        )}
        <label className={styles.check}>
          <input type="checkbox" checked={anyType} onChange={event => setAnyType(event.target.checked)} />
          Whatever kind it is found as, not only {words.type(finding.type)}
        </label>
        <label htmlFor={noteId}>Note</label>
        <input
          id={noteId}
          value={note}
          maxLength={1000}
          placeholder="Why this is not private (optional)"
          autoComplete="off"
          onChange={event => setNote(event.target.value)}
        />
        {!incomplete && <p className={styles.grant}>{allowedWords(entry, shown, words)}</p>}
        {allow.isError && (
          <p className={styles.problem} role="alert">
            <Words text={sentencesOf(problemFrom(allow.error))} />
          </p>
        )}
      </div>
    </Dialog>
  )
}

/** A first guess at the form: the domain of an address, the beginning of anything else. */
function suggested(value: string): string {
  const at = value.lastIndexOf('@')
  return at > 0 ? `*${value.slice(at)}` : `${value.slice(0, 4)}*`
}

const short = (value: string): string => (value.length > 60 ? `${value.slice(0, 60)}…` : value)
