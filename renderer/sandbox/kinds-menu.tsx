import { useQuery } from '@tanstack/react-query'
import { Check, Package, PanelRight, RefreshCw } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import type { ContextStatus } from '../../src/contract/contexts.ts'
import type { SandboxChoice } from '../../src/contract/placement.ts'
import { ConsentDialog } from '../cloud/consent-dialog.tsx'
import { chooseEnvironment } from '../environments/choosing.ts'
import { isolationWords, sandboxWords } from '../review/words.ts'
import { client } from '../state/connection.ts'
import { rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { setView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import menu from '../ui/menu.module.css'
import { Words } from '../ui/words.tsx'
import { isolationIcons } from './icons.ts'
import styles from './kinds-menu.module.css'
import { RotateDialog } from './rotate-dialog.tsx'

/** The menu of the badge: the kinds of sandbox with what each gives here, or why one is missing. */
export function KindsMenu({ status, children }: { status: ContextStatus; children: ReactNode }) {
  const [open, setOpen] = useState(false)
  const [chosen, setChosen] = useState<SandboxChoice | null>(null)
  const { data: choices } = useQuery({ ...rpc.sandbox.choices.queryOptions(), enabled: open, staleTime: 0 })
  const [rotating, setRotating] = useState(false)
  const { data: environment } = useQuery(rpc.environments.chosen.queryOptions({ input: status.conversation }))
  const now = status.state === 'none' || status.state === 'expired' ? null : status.sandbox?.kind
  return (
    <>
      <Radix.Root open={open} onOpenChange={setOpen}>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content className={`${menu.menu} ${styles.kinds}`} sideOffset={4} align="end" collisionPadding={8}>
            <Radix.Label className={styles.title}>Where this path runs</Radix.Label>
            {!choices && <p className={styles.looking}>Looking at what is here…</p>}
            {choices?.map(choice => {
              const Icon = isolationIcons[choice.isolation]
              return (
                <Radix.Item
                  key={choice.kind}
                  className={`${menu.item} ${styles.kind}`}
                  disabled={choice.missing !== null || (choice.kind === now && (choice.templates?.length ?? 0) < 2)}
                  onSelect={() => setChosen(choice)}
                >
                  <Icon aria-hidden />
                  <span>
                    <b>{sandboxWords[choice.kind]}</b>
                    <span className={styles.about}>
                      <Words text={choice.missing ?? isolationWords[choice.isolation]} />
                    </span>
                  </span>
                  {choice.kind === now && <Check aria-label="here now" />}
                </Radix.Item>
              )
            })}
            <Radix.Separator className={menu.line} />
            <Radix.Item className={menu.item} onSelect={() => chooseEnvironment(status)}>
              <span className={menu.icon}>
                <Package aria-hidden />
              </span>
              <span className={menu.label}>Python environment: {environment ?? '…'}</span>
            </Radix.Item>
            <Radix.Item
              className={menu.item}
              disabled={status.state !== 'ready' || status.runs === 0}
              onSelect={() => setRotating(true)}
            >
              <span className={menu.icon}>
                <RefreshCw aria-hidden />
              </span>
              <span className={menu.label}>Replace the sandbox…</span>
            </Radix.Item>
            <Radix.Item className={menu.item} onSelect={() => setView({ rightOpen: true })}>
              <span className={menu.icon}>
                <PanelRight aria-hidden />
              </span>
              <span className={menu.label}>Show the sandbox</span>
            </Radix.Item>
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
      {rotating && <RotateDialog status={status} onClose={() => setRotating(false)} />}
      {chosen?.isolation === 'cloud' ? (
        <ConsentDialog status={status} onClose={() => setChosen(null)} />
      ) : (
        chosen && <MoveDialog status={status} choice={chosen} onClose={() => setChosen(null)} />
      )}
    </>
  )
}

function MoveDialog({ status, choice, onClose }: { status: ContextStatus; choice: SandboxChoice; onClose(): void }) {
  const [replay, setReplay] = useState(status.runs > 0)
  const [template, setTemplate] = useState('')
  const [busy, setBusy] = useState(false)
  const templates = choice.templates ?? []
  const move = () => {
    setBusy(true)
    client.sandbox
      .move({ path: status.path, kind: choice.kind, replay, ...(template ? { template } : {}) })
      .then(() => showToast({ kind: 'good', text: `This path runs in a ${choice.isolation} now.` }))
      .catch(showProblem)
      .finally(onClose)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Move this path to a ${choice.isolation}?`}
      description={isolationWords[choice.isolation]}
      footer={
        <>
          <Button onClick={onClose}>Stay</Button>
          <Button look="primary" onClick={move} busy={busy}>
            Move the path
          </Button>
        </>
      }
    >
      <p>Its files go along. Its variables do not: they are gone with the sandbox that it has now.</p>
      {templates.length > 1 && (
        <label className={styles.template}>
          Made from
          <select value={template} onChange={event => setTemplate(event.target.value)}>
            <option value="">the usual image</option>
            {templates.map(({ template: name, digest }) => (
              <option key={name} value={name}>
                {name} ({digest.replace('sha256:', '').slice(0, 12)})
              </option>
            ))}
          </select>
        </label>
      )}
      <label className={styles.replay}>
        <input type="checkbox" checked={replay} onChange={event => setReplay(event.target.checked)} />
        Run the cells again that ran here
      </label>
    </Dialog>
  )
}
