import { homedir } from 'node:os'
import { BrowserWindow, dialog, type OpenDialogOptions, type WebContents } from 'electron'
import type { ChooseFolder } from '../src/doors/rpc/api.ts'

/** The system's own dialog for a folder, in front of the window that asked. */
export function folderDialog(contents: WebContents): ChooseFolder {
  return async ({ title, from }) => {
    const options: OpenDialogOptions = {
      title,
      defaultPath: from || homedir(),
      properties: ['openDirectory', 'dontAddToRecent'],
    }
    const window = BrowserWindow.fromWebContents(contents)
    const { canceled, filePaths } = await (window
      ? dialog.showOpenDialog(window, options)
      : dialog.showOpenDialog(options))
    return canceled ? null : (filePaths[0] ?? null)
  }
}
