import { useMutation, useQuery } from '@tanstack/react-query'
import { ListChecks, Undo2 } from 'lucide-react'
import { type Allowed, NewAllowed } from '../../src/contract/privacy.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loading } from '../ui/loading.tsx'
import { ProblemView } from '../ui/problem.tsx'
import styles from './allowed.module.css'
import { useWords } from './words.ts'

const refresh = () => queryClient.invalidateQueries({ queryKey: rpc.privacy.key() })

/** What people have said is not private. Each entry is a hole in the guard, so each says what it lets through. */
export function AllowedList() {
  const words = useWords()
  const allowed = useQuery({ ...rpc.privacy.allowed.queryOptions(), staleTime: 0 })
  const conversations = useQuery(rpc.conversations.list.queryOptions({ input: {} })).data ?? []
  const remove = useMutation({
    mutationFn: async (entry: Allowed) => {
      await client.privacy.disallow(entry.id)
      await refresh()
      showToast({
        kind: 'good',
        text: 'It is found and replaced again.',
        action: {
          label: 'Undo',
          run: () => void client.privacy.allow(NewAllowed.parse(entry)).then(refresh).catch(showProblem),
        },
      })
    },
    onError: showProblem,
  })
  if (allowed.isError) return <ProblemView error={allowed.error} onRetry={() => allowed.refetch()} />
  if (!allowed.data) return <Loading />
  if (allowed.data.length === 0) {
    return (
      <Empty icon={<ListChecks />} title="Nothing is allowed through">
        <p>
          When something is found that is not private, such as your own office’s number, choose Allow… beside it. It is
          then listed here, and can be taken back.
        </p>
      </Empty>
    )
  }
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Value</th>
          <th scope="col">Found as</th>
          <th scope="col">Where</th>
          <th scope="col">Note</th>
          <th scope="col">Since</th>
          <th scope="col">
            <span className="visually-hidden">Action</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {allowed.data.map(entry => (
          <tr key={entry.id}>
            <td>
              <code>{entry.value}</code>
              <span className={styles.kind}>{entry.kind === 'exact' ? 'exactly this' : 'everything of this form'}</span>
            </td>
            <td>{entry.type ? words.type(entry.type) : 'Anything'}</td>
            <td>
              {entry.conversation
                ? (conversations.find(each => each.id === entry.conversation)?.title ?? 'A deleted conversation')
                : 'Everywhere'}
            </td>
            <td>{entry.note}</td>
            <td className={styles.since}>{day.format(entry.createdAt)}</td>
            <td>
              <Button icon={<Undo2 />} disabled={remove.isPending} onClick={() => remove.mutate(entry)}>
                Take back
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })
