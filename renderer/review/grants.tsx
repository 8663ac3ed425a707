import { useMutation } from '@tanstack/react-query'
import { Globe } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type ApprovalRequest, isOpen } from '../../src/contract/approval.ts'
import { feeds, grantOf } from '../../src/contract/feeds.ts'
import {
  forPath,
  forRun,
  grantsFor,
  grantWords,
  isAllow,
  isForPath,
  pathGrantHours,
} from '../../src/contract/network.ts'
import { client, problemFrom } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { Button } from '../ui/button.tsx'
import { sentencesOf, Words } from '../ui/words.tsx'
import styles from './grants.module.css'

/**
 * What the code may reach if it is approved, in words made from the rules themselves. Another choice makes a new
 * revision: the signature is over the rules, so it has to be looked at and approved as it then stands.
 */
export function Grants({ request }: { request: ApprovalRequest }) {
  const { id, subject, code, placement, inspection } = request
  const now = placement.network
  const [chosen, setChosen] = useState<readonly string[]>(now)
  const [typed, setTyped] = useState('')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a request that has changed is chosen for anew
  useEffect(() => setChosen(now), [subject])
  const adopt = (changed: ApprovalRequest) =>
    queryClient.setQueryData(rpc.approval.request.queryKey({ input: id }), changed)
  const change = useMutation({
    mutationFn: (network: string[]) =>
      client.approval.decide({ request: id, verdict: { kind: 'edit', seen: subject, code, network, comment: '' } }),
    onSuccess: adopt,
    onError: () => queryClient.invalidateQueries({ queryKey: rpc.approval.request.queryKey({ input: id }) }),
  })
  // One line a host, whether it is chosen for the run or for the path.
  const offered = [
    ...new Set([...now.filter(isAllow), ...grantsFor(inspection.impact.hosts), ...chosen.filter(isAllow)].map(forRun)),
  ]
  const asChosen = (grant: string) => chosen.find(each => forRun(each) === grant)
  const unknown = inspection.impact.hosts.some(host => host.target === null)
  if (offered.length === 0 && !unknown) return null
  const isChanged = [...chosen].sort().join('\n') !== [...now].sort().join('\n')
  const choose = (grant: string, as: string | null) =>
    setChosen(before => [...before.filter(each => forRun(each) !== grant), ...(as === null ? [] : [as])])
  const add = () => {
    const text = typed.trim()
    if (text) setChosen(before => [...new Set([...before, text])])
    setTyped('')
  }
  const open = isOpen(request.state)
  return (
    <section className={styles.grants} aria-label="What it may reach">
      <h3>
        <Globe aria-hidden /> What it may reach
      </h3>
      {offered.length === 0 && <p>Nothing. The code does not say which host it wants.</p>}
      <ul>
        {offered.map(grant => {
          const as = asChosen(grant)
          return (
            <li key={grant}>
              <label>
                <input
                  type="checkbox"
                  checked={as !== undefined}
                  disabled={!open}
                  onChange={() => choose(grant, as === undefined ? grant : null)}
                />
                <span>{as ? `It may ${grantWords(as)}.` : `Not granted: ${grantWords(grant)}.`}</span>
              </label>
              {as && open && (
                <select
                  aria-label={`How long ${grant} is granted`}
                  value={isForPath(as) ? 'path' : 'run'}
                  onChange={event => choose(grant, event.target.value === 'path' ? forPath(grant) : grant)}
                >
                  <option value="run">this run</option>
                  <option value="path">this path, {pathGrantHours} h</option>
                </select>
              )}
            </li>
          )
        })}
        {now
          .filter(grant => !isAllow(grant))
          .map(grant => (
            <li key={grant} className={styles.denied}>
              By policy: {grantWords(grant)}.
            </li>
          ))}
      </ul>
      {open && (
        <div className={styles.more}>
          <input
            list="official-sources"
            aria-label="Another host"
            placeholder="Another host, or an official source"
            value={typed}
            onChange={event => setTyped(event.target.value)}
            onKeyDown={event => {
              event.stopPropagation()
              if (event.key === 'Enter') add()
            }}
          />
          <datalist id="official-sources">
            {feeds.flatMap(feed =>
              grantOf(feed).rules.map(rule => (
                <option key={rule} value={rule}>
                  {feed.name}: {feed.serves}
                </option>
              )),
            )}
          </datalist>
          <Button look="quiet" aria-disabled={typed.trim() === ''} onClick={add}>
            Add
          </Button>
        </div>
      )}
      {change.error && (
        <p className={styles.refused} role="alert">
          <Words text={sentencesOf(problemFrom(change.error))} />
        </p>
      )}
      {open && offered.length > 0 && !chosen.some(isAllow) && (
        <p className={styles.note}>Approving does not open the network: without a grant the request will fail.</p>
      )}
      {isChanged && (
        <p className={styles.changed} role="status">
          <span>
            This changes what is signed; look at it again, then approve it.
            {request.needs === 'four-eyes' && ' You become an author and cannot approve it yourself.'}
          </span>
          <Button
            look="primary"
            aria-disabled={change.isPending}
            onClick={() => !change.isPending && change.mutate([...chosen])}
          >
            {change.isPending ? 'Checking…' : 'Grant exactly this'}
          </Button>
        </p>
      )}
      <p className={styles.note}>
        {chosen.some(isForPath)
          ? 'What the path is granted ends after its hours, or when somebody takes it back. '
          : 'What is granted ends with the run. '}
        What is sent inside an encrypted connection cannot be seen, only to whom and how much.
      </p>
    </section>
  )
}
