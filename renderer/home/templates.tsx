import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Trash2 } from 'lucide-react'
import styles from '../commands/palette.module.css'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { showProblem, showToast } from '../state/toasts.ts'
import { openPath } from '../state/view.ts'
import { IconButton } from '../ui/button.tsx'
import own from './templates.module.css'

/** Starting points: those of this person, and those that ship with the application. */
export default function Templates({ onClose }: { onClose(): void }) {
  const { data = [] } = useQuery({ ...rpc.conversations.templates.queryOptions(), staleTime: 0 })
  const begin = async (id: string) => {
    onClose()
    const { conversation } = await client.conversations.fromTemplate(id)
    openPath(conversation.id, conversation.main)
  }
  const remove = async (id: string, name: string) => {
    await client.conversations.removeTemplate(id)
    await queryClient.invalidateQueries({ queryKey: rpc.conversations.templates.key() })
    showToast({ kind: 'info', text: `The template “${name}” was removed.` })
  }
  const owners = [true, false].filter(isOwn => data.some(each => each.own === isOwn))
  return (
    <Command.Dialog
      open
      onOpenChange={open => !open && onClose()}
      label="Templates"
      overlayClassName={styles.overlay}
      contentClassName={styles.dialog}
      loop
    >
      <Command.Input className={styles.input} placeholder="New conversation from a template…" />
      <Command.List className={styles.list}>
        <Command.Empty className={styles.empty}>No template has that name.</Command.Empty>
        {owners.map(isOwn => (
          <Command.Group
            key={String(isOwn)}
            heading={isOwn ? 'Your templates' : 'With the application'}
            className={styles.group}
          >
            {data
              .filter(each => each.own === isOwn)
              .map(({ id, name, about }) => (
                <Command.Item
                  key={id}
                  value={`${name} ${id}`}
                  className={styles.item}
                  onSelect={() => void begin(id).catch(showProblem)}
                >
                  <span className={own.template}>
                    {name}
                    {about && <small>{about}</small>}
                  </span>
                  {isOwn && (
                    <IconButton
                      label={`Remove ${name}`}
                      icon={<Trash2 />}
                      onClick={event => {
                        event.stopPropagation()
                        void remove(id, name).catch(showProblem)
                      }}
                    />
                  )}
                </Command.Item>
              ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command.Dialog>
  )
}
