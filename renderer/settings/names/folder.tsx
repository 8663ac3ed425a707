import { FolderOpen, X } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import { client, desktop } from '../../state/connection.ts'
import { showProblem } from '../../state/toasts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Typed } from '../typed.tsx'
import { FolderDialog } from './folder-dialog.tsx'
import { NamesState } from './state.tsx'

interface NamesFolderProps {
  readonly id: string
  readonly schema: z.ZodType
  readonly value: string
  onChange(folder: string): void
}

/** The folder of the model for names: typed, or chosen; and at once what is in it. */
export function NamesFolder({ id, schema, value, onChange }: NamesFolderProps) {
  const [choosing, setChoosing] = useState(false)
  const chosen = (folder: string | null) => {
    setChoosing(false)
    if (folder !== null && folder !== value) onChange(folder)
  }
  const choose = () => {
    setChoosing(true)
    // A browser cannot show a dialog of the system: there the list opens, below.
    if (!desktop) return
    client.folders
      .choose({ title: 'Folder of the names model', from: value })
      .then(({ folder }) => chosen(folder))
      .catch(error => {
        setChoosing(false)
        showProblem(error)
      })
  }
  return (
    <>
      <Typed id={id} schema={schema} value={value} placeholder="No model" onChange={next => onChange(String(next))}>
        {value !== '' && <IconButton label="Clear the folder" icon={<X />} onClick={() => onChange('')} />}
        <Button icon={<FolderOpen />} busy={choosing && desktop !== null} onClick={choose}>
          Choose…
        </Button>
      </Typed>
      <NamesState />
      {choosing && !desktop && <FolderDialog from={value} onChoose={chosen} onClose={() => chosen(null)} />}
    </>
  )
}
