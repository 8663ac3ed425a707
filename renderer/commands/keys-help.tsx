import { type CommandId, commandGroups, commands } from '../../src/contract/commands.ts'
import { useView } from '../state/view.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Keys } from '../ui/keys.tsx'
import { commandInfo, isAvailable } from './commands.ts'
import styles from './keys-help.module.css'

const withKeys = (Object.keys(commands) as CommandId[]).filter(id => commandInfo(id).keys)

/** The same list as the palette, as a page to learn from: what counts where one is comes first. */
export default function KeysHelp({ onClose }: { onClose(): void }) {
  const { selected, editing, place } = useView()
  const inCommandMode = place === 'notebook' && selected !== null && !editing
  const counts = (id: CommandId) => isAvailable(id) && (commandInfo(id).when !== 'command-mode' || inCommandMode)
  const here = withKeys.filter(counts)
  const elsewhere = withKeys.filter(id => !counts(id))
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title="Keyboard shortcuts"
      description="Single letters work in command mode: press Escape in a cell, then the letter. Enter goes back to editing."
    >
      <h2 className={styles.part}>Where you are</h2>
      <Groups ids={here} />
      {elsewhere.length > 0 && (
        <>
          <h2 className={styles.part}>
            {place === 'notebook' ? 'With a cell selected, or in other places' : 'In other places'}
          </h2>
          <Groups ids={elsewhere} />
        </>
      )}
    </Dialog>
  )
}

function Groups({ ids }: { ids: readonly CommandId[] }) {
  return (
    <div className={styles.columns}>
      {commandGroups.map(group => {
        const inGroup = ids.filter(id => commandInfo(id).group === group)
        return inGroup.length === 0 ? null : (
          <section key={group}>
            <h2>{group}</h2>
            <dl>
              {inGroup.map(id => (
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
  )
}
