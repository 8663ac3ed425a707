import { app, BrowserWindow, Menu, type MenuItemConstructorOptions } from 'electron'
import {
  type CommandGroup,
  type CommandId,
  type CommandInfo,
  commandGroups,
  commands,
} from '../src/contract/commands.ts'

/** The native menu: the command list by group, and what every application of the platform has. */
export function installMenu(): void {
  const mac: MenuItemConstructorOptions[] = process.platform === 'darwin' ? [{ role: 'appMenu' }] : []
  const groups = commandGroups.map(group => ({ label: group, submenu: [...entriesOf(group), ...standard[group]] }))
  Menu.setApplicationMenu(Menu.buildFromTemplate([...mac, ...groups, { role: 'windowMenu' }]))
  app.setName('Countersign')
}

const line: MenuItemConstructorOptions = { type: 'separator' }
const standard: Record<CommandGroup, MenuItemConstructorOptions[]> = {
  File: [line, { role: 'close' }, { role: 'quit' }],
  Edit: [line, { role: 'cut' }, { role: 'copy' }, { role: 'paste' }, { role: 'selectAll' }],
  View: [
    line,
    { role: 'resetZoom' },
    { role: 'zoomIn' },
    { role: 'zoomOut' },
    { role: 'togglefullscreen' },
    { role: 'toggleDevTools' },
  ],
  Cell: [],
  Assistant: [],
  Path: [],
  Sandbox: [],
  Help: [],
}

function entriesOf(group: CommandGroup): MenuItemConstructorOptions[] {
  return (Object.keys(commands) as CommandId[])
    .filter(id => commands[id].group === group && (commands[id] as CommandInfo).door !== 'browser')
    .map(id => {
      const info: CommandInfo = commands[id]
      const [keys] = info.keys ?? []
      return {
        label: info.title,
        // The page handles its own keys, since it knows what has the focus; here they are only shown.
        ...(keys && !keys.includes(' ') && info.when !== 'command-mode' ? { accelerator: accelerator(keys) } : {}),
        registerAccelerator: false,
        click: (_item, window) => {
          if (window instanceof BrowserWindow) window.webContents.send('countersign:command', id)
        },
      }
    })
}

const accelerator = (keys: string): string =>
  keys.replace('Mod', 'CommandOrControl').replace('ArrowUp', 'Up').replace('ArrowDown', 'Down')
