import { useMutation, useQuery } from '@tanstack/react-query'
import { ExternalLink, LogIn, LogOut } from 'lucide-react'
import type { ServerLogin } from '../../src/contract/mcp-servers.ts'
import { visible } from '../../src/contract/visible.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import styles from './mcp.module.css'

/** Logging in at a server over HTTP: shown while it is wanted, under way or failed. */
export function LoginNotice({ server, login, wanted }: { server: string; login: ServerLogin; wanted: boolean }) {
  const begin = useMutation({ mutationFn: () => client.mcp.login({ server }), onError: () => undefined })
  const cancel = useMutation({ mutationFn: () => client.mcp.cancelLogin({ server }), onError: showProblem })
  // A window of the desktop opens no other; the engine opens the person's browser.
  const isDesktop = useQuery(rpc.app.info.queryOptions()).data?.door === 'desktop'
  const { state, url, problem } = login
  if (state === 'waiting' && url)
    return (
      <div className={styles.notice} data-state="starting" role="status">
        <p>
          <strong>Waiting for you to log in at {hostOf(url)}</strong>
          <br />
          {isDesktop ? 'The page is open in your browser.' : 'Open the page, and come back when you are done.'}
        </p>
        <span className={styles.row}>
          {isDesktop ? (
            <Button icon={<ExternalLink aria-hidden />} onClick={() => begin.mutate()}>
              Open the page
            </Button>
          ) : (
            <a className={styles.link} href={url} target="_blank" rel="noreferrer">
              <ExternalLink aria-hidden size={14} /> Open the page
            </a>
          )}
          <Button busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        </span>
      </div>
    )
  const isFinding = state === 'finding' || begin.isPending
  if (!(wanted || isFinding || problem)) return null
  return (
    <div className={styles.notice} data-state={problem ? 'waiting' : 'starting'} role={problem ? 'alert' : 'status'}>
      <p>
        <strong>{problem ? visible(problem.message) : `${server} wants you to log in`}</strong>
        <br />
        {problem ? problem.hint : 'A page opens in your browser. What it hands over is kept in the key store.'}
      </p>
      <Button look="primary" icon={<LogIn aria-hidden />} busy={isFinding} onClick={() => begin.mutate()}>
        Log in
      </Button>
    </div>
  )
}

/** Where the person is logged in, with the way out. */
export function LoginFact({ server, login }: { server: string; login: ServerLogin }) {
  const logout = useMutation({
    mutationFn: async () => {
      await client.mcp.logout({ server })
      await queryClient.invalidateQueries({ queryKey: rpc.mcp.tools.key({ input: { server } }) })
    },
    onError: showProblem,
  })
  if (login.state !== 'in') return null
  return (
    <>
      <dt>Log-in</dt>
      <dd className={styles.row}>
        at {visible(hostOf(login.issuer ?? ''))}
        <Button icon={<LogOut aria-hidden />} busy={logout.isPending} onClick={() => logout.mutate()}>
          Log out
        </Button>
      </dd>
    </>
  )
}

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address)
