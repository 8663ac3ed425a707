import { useQuery } from '@tanstack/react-query'
import { FileWarning, TriangleAlert } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { PolicyState } from '../../../src/contract/policy.ts'
import { CodeEditor } from '../../editor/code-editor.tsx'
import { client, problemFrom } from '../../state/connection.ts'
import { queryClient, rpc } from '../../state/queries.ts'
import { showToast } from '../../state/toasts.ts'
import { Button } from '../../ui/button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { ProblemView } from '../../ui/problem.tsx'
import { sentencesOf, Words } from '../../ui/words.tsx'
import { useEditing } from './editing.ts'
import { PolicyForm } from './form.tsx'
import styles from './policy.module.css'
import { TrustedContexts } from './trusted.tsx'

const sources: Record<PolicyState['source'], string> = {
  file: 'the policy of the file',
  default: 'the defaults, since nothing was saved yet',
  'last-good': 'the last policy that could be read',
  strict: 'a strict policy, since none could be read',
}

/** What runs, what is asked about and what never runs: as a form, and as the text of its file. */
export function PolicyEditor() {
  const state = useQuery({
    ...rpc.policy.get.queryOptions(),
    // The file can be edited outside; whoever comes back to this window sees what it says now.
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  })
  const text = useQuery({
    ...rpc.policy.text.queryOptions(),
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  })
  const error = state.error ?? text.error
  if (error) return <ProblemView error={error} onRetry={() => Promise.all([state.refetch(), text.refetch()])} />
  if (!state.data || text.data === undefined) return <Loading />
  return <Editor state={state.data} text={text.data} />
}

function Editor({ state, text }: { state: PolicyState; text: string }) {
  const [tab, setTab] = useState<'form' | 'file'>('form')
  const form = useEditing(state.policy, state.version)
  const file = useEditing(text, state.version)
  const editing = tab === 'form' ? form : file
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was wrong is about the text as it was
  useEffect(() => setError(null), [form.draft, file.draft, tab])

  const save = async () => {
    setBusy(true)
    setError(null)
    try {
      const saved = await (tab === 'form'
        ? client.policy.save({ policy: form.draft, expected: form.version })
        : client.policy.saveText({ text: file.draft, expected: file.version }))
      form.adopt(saved.policy, saved.version)
      const written = await client.policy.text()
      file.adopt(written, saved.version)
      queryClient.setQueryData(rpc.policy.get.queryKey(), saved)
      queryClient.setQueryData(rpc.policy.text.queryKey(), written)
      showToast({ kind: 'good', text: `Policy saved; version ${saved.version.slice(0, 8)} is in force.` })
    } catch (thrown) {
      setError(thrown)
      void queryClient.invalidateQueries({ queryKey: rpc.policy.key() })
    } finally {
      setBusy(false)
    }
  }
  const refusal = error ? problemFrom(error) : null
  const other = tab === 'form' ? file : form

  return (
    <div className={styles.policy}>
      <p className={styles.about}>
        Where several rules apply to a run, the strictest counts. In force: {sources[state.source]}; version{' '}
        <code title={state.version}>{state.version.slice(0, 8)}</code>. <span>{state.file}</span>
      </p>
      {state.problem && (
        <p className={styles.problem} role="alert">
          <FileWarning aria-hidden />
          <span>
            <Words text={sentencesOf(state.problem)} /> What is saved here takes its place; the damaged file is kept
            beside it.
          </span>
        </p>
      )}
      {editing.moved && (
        <div className={styles.problem} role="alert">
          <TriangleAlert aria-hidden />
          <span>The policy was changed elsewhere while you edited it. Nothing of yours is saved yet.</span>
          <Button onClick={editing.discard}>Take what is there now</Button>
          <Button look="danger" onClick={editing.rebase}>
            Keep mine
          </Button>
        </div>
      )}
      <div className={styles.tabs} role="tablist" aria-label="Policy as">
        {(['form', 'file'] as const).map(each => (
          <button
            key={each}
            id={`policy-tab-${each}`}
            type="button"
            role="tab"
            aria-selected={tab === each}
            aria-controls="policy-panel"
            onClick={() => setTab(each)}
          >
            {each === 'form' ? 'Form' : 'YAML'}
          </button>
        ))}
      </div>
      <div id="policy-panel" role="tabpanel" aria-labelledby={`policy-tab-${tab}`}>
        {tab === 'form' ? (
          <>
            <PolicyForm policy={form.draft} onChange={form.edit} />
            <TrustedContexts trusted={form.draft.trusted} onChange={trusted => form.edit({ ...form.draft, trusted })} />
          </>
        ) : (
          <div className={styles.file}>
            <CodeEditor value={file.draft} language="yaml" label="Policy file" onChange={file.edit} />
          </div>
        )}
      </div>
      <footer className={styles.footer}>
        {refusal && (
          <p className={styles.refusal} role="alert">
            <Words text={sentencesOf(refusal)} />
          </p>
        )}
        {!refusal && other.dirty && editing.dirty && (
          <p className={styles.refusal}>The other view has changes too; they are not saved with these.</p>
        )}
        <span className={styles.space}>{editing.dirty ? 'Not saved yet' : ''}</span>
        <Button disabled={!editing.dirty || busy} onClick={editing.discard}>
          Discard changes
        </Button>
        <Button look="primary" busy={busy} disabled={!editing.dirty || editing.moved} onClick={() => void save()}>
          Save policy
        </Button>
      </footer>
    </div>
  )
}
