import { useEffect, useRef } from 'react'
import { useCommand } from '../commands/commands.ts'
import { client, desktop, useConnection } from '../state/connection.ts'
import { answerOtherWindows, linkIn, stayAlone } from '../state/entry.ts'
import { showToast } from '../state/toasts.ts'
import { App } from './app.tsx'
import { Locked } from './locked.tsx'

/** The application, or in a browser window that is not let in the way to get in. */
export function Door() {
  const { state, reason } = useConnection()
  const wasIn = useRef(false)
  useEffect(() => {
    // A refused window has a line for a moment; one that was let in has had an answer.
    if (state === 'open') void client.app.info().then(() => (wasIn.current = true))
  }, [state])
  if (state === 'locked') return <Locked reason={reason === 'link' ? 'link' : 'session'} wasIn={wasIn.current} />
  return (
    <>
      <App />
      {!desktop && <BrowserWindow />}
    </>
  )
}

/** What only a browser window has: a session, others beside it, and a way to end both. */
function BrowserWindow() {
  useEffect(() => answerOtherWindows(async () => (await client.app.link()).link), [])
  useEffect(() => {
    // A new link opened in a tab that shows the application changes nothing but the fragment.
    const enter = () => linkIn(location.hash) && location.reload()
    window.addEventListener('hashchange', enter)
    return () => window.removeEventListener('hashchange', enter)
  }, [])
  useCommand('window.link', async () => {
    await navigator.clipboard.writeText((await client.app.link()).link)
    showToast({ kind: 'good', text: 'Link copied.', hint: 'It lets one window in, once, within an hour.' })
  })
  useCommand('window.end', () => client.app.endWindows({ which: 'own' }))
  useCommand('window.end.others', async () => {
    stayAlone()
    const { ended } = await client.app.endWindows({ which: 'others' })
    const text =
      ended === 0 ? 'No other session was open.' : ended === 1 ? 'Ended 1 session.' : `Ended ${ended} sessions.`
    showToast({ kind: 'good', text })
  })
  return null
}
