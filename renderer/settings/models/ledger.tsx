import { useQuery } from '@tanstack/react-query'
import { rpc } from '../../state/queries.ts'
import { dateAndTime } from '../../ui/when.ts'
import styles from './models.module.css'

/** Every request to a model: when, to whom, how much of it, what was replaced in it, what it cost. */
export function Ledger() {
  const ledger = useQuery({ ...rpc.chat.ledger.queryOptions({ input: { limit: 200 } }), staleTime: 0 }).data ?? []
  return (
    <section aria-labelledby="ledger">
      <h3 id="ledger">Requests</h3>
      {ledger.length === 0 ? (
        <p className={styles.where}>Nothing was sent to any model yet.</p>
      ) : (
        <div className={styles.wide}>
          <table className={styles.list}>
            <thead>
              <tr>
                <th>When</th>
                <th>Model</th>
                <th>Bytes</th>
                <th>Replaced</th>
                <th>Tokens</th>
                <th>Cost</th>
                <th>First word</th>
                <th>Result</th>
              </tr>
            </thead>
            <tbody>
              {ledger.map(entry => (
                <tr key={entry.id}>
                  <td>{dateAndTime(entry.at)}</td>
                  <td>
                    {entry.providerName} {entry.model}
                    {entry.purpose === 'title' && ' (title)'}
                  </td>
                  <td>{entry.bytes.toLocaleString('en')}</td>
                  <td>
                    {Object.entries(entry.replaced)
                      .map(([type, count]) => `${count} ${type}`)
                      .join(', ') || 'none'}
                  </td>
                  <td>
                    {entry.inputTokens ?? '?'} + {entry.outputTokens ?? '?'}
                  </td>
                  <td>{entry.cost === null ? 'unknown' : `$${entry.cost.toFixed(4)}`}</td>
                  <td>{entry.firstTokenMs === null ? '' : `${Math.round(entry.firstTokenMs)} ms`}</td>
                  <td>{entry.result}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
