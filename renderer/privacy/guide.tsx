import { useQuery } from '@tanstack/react-query'
import { Eraser, Settings } from 'lucide-react'
import { useState } from 'react'
import { destinations, egressModes } from '../../src/contract/privacy.ts'
import { NamesState } from '../settings/names/state.tsx'
import { openSettings } from '../settings/section.ts'
import { rpc } from '../state/queries.ts'
import { useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { ForgetDialog } from './forget-dialog.tsx'
import styles from './guide.module.css'
import { destinationWords, modeOf, modeWords } from './words.ts'

/** What stands between this machine and the rest of the world, in plain words, with what is in force now. */
export function Guide() {
  const settings = useQuery(rpc.settings.get.queryOptions()).data?.settings
  const rules = useQuery(rpc.privacy.rules.queryOptions()).data?.length
  const conversation = useView(view => view.conversation)
  const [isForgetting, setForgetting] = useState(false)
  return (
    <div className={styles.guide}>
      <section>
        <h2>From a value to a token and back</h2>
        <ol className={styles.steps}>
          <li>
            <strong>Found.</strong> {rules ? `${rules} rules look` : 'Rules look'} at every text on its way out: formats
            with checksums, secrets, names, and fields whose name gives them away.
          </li>
          <li>
            <strong>Replaced.</strong> A value becomes a token such as <code>[EMAIL_1]</code>: the same value, the same
            token, all through a conversation. The values are kept here, encrypted.
          </li>
          <li>
            <strong>Put back.</strong> Answers show the real values again, on your own screen and in local sandboxes
            only.
          </li>
          <li>
            <strong>On record.</strong> The audit record holds tokens. Whoever reveals a value gives a reason, and that
            is on the record too.
          </li>
        </ol>
      </section>
      <section>
        <header className={styles.head}>
          <h2>How strict it is</h2>
          <Button icon={<Settings />} onClick={() => openSettings('privacy')}>
            Change in the settings
          </Button>
        </header>
        <dl className={styles.modes}>
          {egressModes.map(mode => (
            <div key={mode}>
              <dt data-mode={mode}>{modeWords[mode].name}</dt>
              <dd>{modeWords[mode].what}</dd>
            </div>
          ))}
        </dl>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">On its way to</th>
              <th scope="col">What that is</th>
              <th scope="col">In force</th>
            </tr>
          </thead>
          <tbody>
            {destinations.map(destination => {
              const mode = settings && modeOf(settings.privacy, destination)
              return (
                <tr key={destination}>
                  <th scope="row">{destinationWords[destination].name}</th>
                  <td>{destinationWords[destination].what}</td>
                  <td>{mode && <span data-mode={mode}>{modeWords[mode].name}</span>}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      <section>
        <h2>Names</h2>
        <p>Names are found by rules: titles, salutations, labels, signatures. A model on this machine can help.</p>
        <NamesState />
      </section>
      {conversation && (
        <section>
          <h2>Erase this conversation’s values</h2>
          <p>
            Destroys what is kept behind its tokens. What was sent and recorded then keeps its tokens for good; the
            notebook itself is not changed.
          </p>
          <Button look="danger" icon={<Eraser />} onClick={() => setForgetting(true)}>
            Erase values…
          </Button>
          {isForgetting && <ForgetDialog conversation={conversation} onClose={() => setForgetting(false)} />}
        </section>
      )}
    </div>
  )
}
