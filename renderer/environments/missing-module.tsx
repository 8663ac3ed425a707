import { useQuery } from '@tanstack/react-query'
import { PackageSearch } from 'lucide-react'
import type { ConversationId, PathId } from '../../src/contract/ids.ts'
import { openSettings } from '../settings/section.ts'
import { rpc } from '../state/queries.ts'
import { useView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { chooseEnvironment } from './choosing.ts'
import styles from './environments.module.css'

/** After a run that did not find a module: where it is, and the way there. */
export function MissingModule({ path, module }: { path: PathId; module: string }) {
  const conversation = useView(view => view.conversation)
  return conversation && <Offer path={path} conversation={conversation} module={module} />
}

function Offer({ path, conversation, module }: { path: PathId; conversation: ConversationId; module: string }) {
  const having = useQuery({ ...rpc.environments.having.queryOptions({ input: { module } }), staleTime: 0 })
  const now = useQuery(rpc.environments.chosen.queryOptions({ input: conversation }))
  if (!having.data || now.data === undefined) return null
  const others = having.data.filter(each => each.name !== now.data)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div className={styles.missing} role="group" aria-label={`Where ${module} is`}>
      <PackageSearch aria-hidden />
      <span>
        <code>{module}</code>{' '}
        {others.length > 0 ? `is not in ${now.data}, but in:` : `is in no known environment of this machine.`}
      </span>
      {others.map(each => (
        <Button
          key={each.name}
          onClick={() =>
            each.state === 'ready' ? chooseEnvironment({ conversation, path }, each.name) : openSettings('environments')
          }
        >
          {each.state === 'ready' ? `Use ${each.name}…` : `Look at ${each.name}…`}
        </Button>
      ))}
      {others.length === 0 && (
        <Button look="quiet" onClick={() => openSettings('environments')}>
          Environments…
        </Button>
      )}
    </div>
  )
}
