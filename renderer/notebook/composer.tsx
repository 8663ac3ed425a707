import { Calculator, ChevronDown, MessageSquareText, Plus } from 'lucide-react'
import { useState } from 'react'
import type { PathId } from '../../src/contract/ids.ts'
import { languages } from '../../src/contract/run.ts'
import { showProblem } from '../state/toasts.ts'
import { setView } from '../state/view.ts'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { insertCell, insertItem } from './actions.ts'
import styles from './composer.module.css'

/** The end of the page: write a question or a note, or add a cell. */
export function Composer({ path }: { path: PathId }) {
  const [text, setText] = useState('')
  const send = () => {
    const said = text.trim()
    if (!said) return
    setText('')
    void insertItem(path, undefined, { kind: 'message', author: 'analyst', text: said }).catch(error => {
      // What was written must not be lost because it could not be saved.
      setText(said)
      showProblem(error)
    })
  }
  return (
    <div className={styles.composer}>
      <div className={styles.inner}>
        <textarea
          aria-label="Write a question or a note"
          placeholder="Write a question or a note…"
          rows={Math.min(8, text.split('\n').length)}
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={event => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            event.stopPropagation()
            send()
          }}
        />
        <Button icon={<MessageSquareText />} disabled={!text.trim()} onClick={send}>
          Add note
        </Button>
        <Button icon={<Calculator />} onClick={() => setView({ place: 'analyses' })}>
          Run analysis
        </Button>
        <span className={styles.split}>
          <Button look="primary" icon={<Plus />} onClick={() => void insertCell(path, undefined).catch(showProblem)}>
            Cell
          </Button>
          <Menu
            trigger={
              <Button look="primary" aria-label="Cell of another language" className={styles.more}>
                <ChevronDown aria-hidden />
              </Button>
            }
            items={[...languages, 'markdown'].map(language => ({
              label: language,
              onSelect: () => void insertCell(path, undefined, language).catch(showProblem),
            }))}
          />
        </span>
      </div>
    </div>
  )
}
