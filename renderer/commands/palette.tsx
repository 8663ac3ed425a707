import { Command } from 'cmdk'
import { type CommandId, commandGroups, commands } from '../../src/contract/commands.ts'
import { Keys } from '../ui/keys.tsx'
import { commandInfo, isAvailable, runCommand } from './commands.ts'
import styles from './palette.module.css'

/** Every command by name, with its keys. Those that mean nothing right now are left out. */
export default function Palette({ onClose }: { onClose(): void }) {
  const ids = (Object.keys(commands) as CommandId[]).filter(id => id !== 'palette' && isAvailable(id))
  return (
    <Command.Dialog
      open
      onOpenChange={open => !open && onClose()}
      label="Command palette"
      overlayClassName={styles.overlay}
      contentClassName={styles.dialog}
      loop
    >
      <Command.Input className={styles.input} placeholder="What would you like to do?" />
      <Command.List className={styles.list}>
        <Command.Empty className={styles.empty}>No command has that name.</Command.Empty>
        {commandGroups.map(group => {
          const inGroup = ids.filter(id => commandInfo(id).group === group)
          return inGroup.length === 0 ? null : (
            <Command.Group key={group} heading={group} className={styles.group}>
              {inGroup.map(id => {
                const { title, keys } = commandInfo(id)
                return (
                  <Command.Item
                    key={id}
                    value={`${group} ${title}`}
                    className={styles.item}
                    onSelect={() => {
                      onClose()
                      runCommand(id)
                    }}
                  >
                    {title}
                    {keys?.[0] && <Keys keys={keys[0]} />}
                  </Command.Item>
                )
              })}
            </Command.Group>
          )
        })}
      </Command.List>
    </Command.Dialog>
  )
}
