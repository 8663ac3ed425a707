import { useMutation, useQuery } from '@tanstack/react-query'
import { Archive } from 'lucide-react'
import { retentionChosen } from '../../src/contract/settings.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import styles from './retention-question.module.css'

const choices = [
  { label: '90 days', days: 90 },
  { label: '1 year', days: 365 },
  { label: '5 years', days: 5 * 365 + 1 },
  { label: '7 years', days: 7 * 365 + 2 },
  { label: '10 years', days: 10 * 365 + 3 },
] as const

/** Asks once how long the record is kept. Until somebody has answered, nothing is removed. */
export function RetentionQuestion() {
  const { data: view } = useQuery(rpc.settings.get.queryOptions())
  const change = useMutation(
    rpc.settings.change.mutationOptions({
      onSuccess(next) {
        queryClient.setQueryData(rpc.settings.get.queryKey(), next)
        showToast({ kind: 'good', text: 'Saved. You can change it in the settings, under Audit.' })
      },
      onError: showProblem,
    }),
  )
  if (!view || retentionChosen(view) !== null) return null
  return (
    <section className={styles.question} aria-labelledby="retention-question">
      <Archive aria-hidden />
      <div>
        <h2 id="retention-question">How long should the record be kept?</h2>
        <p>Older entries and old versions of files are then removed. Until you choose, everything is kept.</p>
        <div className={styles.choices}>
          {choices.map(({ label, days }) => (
            <Button
              key={days}
              busy={change.isPending && change.variables.audit?.retentionDays === days}
              disabled={change.isPending}
              onClick={() => change.mutate({ audit: { retentionDays: days } })}
            >
              {label}
            </Button>
          ))}
        </div>
      </div>
    </section>
  )
}
