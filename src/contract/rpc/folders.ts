import { z } from 'zod'
import { FolderPage, FolderPath } from '../folders.ts'
import { procedure } from './base.ts'

/** A folder of this machine, chosen by the person at it. */
export const foldersContract = {
  /** The system's own dialog, which only a desktop window has. Null: the person chose none. */
  choose: procedure
    .input(z.object({ title: z.string().min(1).max(100), from: FolderPath }))
    .output(z.object({ folder: FolderPath.nullable() })),
  /** For a browser, which has no such dialog. An empty `folder` means the home folder. */
  list: procedure.input(z.object({ folder: FolderPath, hidden: z.boolean() })).output(FolderPage),
}
