import { type CommandId, commandGroups, commands } from '../../src/contract/commands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Keys } from '../ui/keys.tsx'
import { commandInfo } from './commands.ts'
import styles from './keys-help.module.css'

const withKeys = (Object.keys(commands) as CommandId[]).filter(id => commandInfo(id).keys)

/** The same list as the palette, as a page to learn from. */
export default function KeysHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="Keyboard shortcuts"
      description="Single letters work in command mode: press Escape in a cell, then the letter. Enter goes back to editing."
    >
      <div className={styles.columns}>
        {commandGroups.map(group => {
          const ids = withKeys.filter(id => commandInfo(id).group === group)
          return ids.length === 0 ? null : (
            <section key={group}>
              <h2>{group}</h2>
              <dl>
                {ids.map(id => (
                  <div key={id}>
                    <dt>{commandInfo(id).title}</dt>
                    <dd>
                      {commandInfo(id).keys?.map(keys => (
                        <Keys key={keys} keys={keys} />
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          )
        })}
      </div>
    </Dialog>
  )
}
