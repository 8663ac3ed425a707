import { ipcMain, type MessagePortMain } from 'electron'
import type { McpSwitch } from '../src/doors/mcp/switch.ts'
import type { Channel } from '../src/doors/rpc/channel.ts'
import { serveWindow } from '../src/doors/rpc/window.ts'
import type { Engine } from '../src/engine/engine.ts'
import { folderDialog } from './dialogs.ts'
import { openPage } from './pages.ts'
import { isOurPage } from './security.ts'

/** Answers windows that ask for a line to the engine. */
export function serveWindows(engine: Engine, mcpDoor: McpSwitch): void {
  ipcMain.on('countersign:connect', event => {
    const [port] = event.ports
    if (!port || !isOurPage(event.senderFrame)) {
      engine.log.warn({ url: event.senderFrame?.url }, 'a page that is not ours asked for the engine')
      return
    }
    serveWindow(engine, channelOf(port), 'desktop', { chooseFolder: folderDialog(event.sender), openPage, mcpDoor })
    port.start()
  })
}

function channelOf(port: MessagePortMain): Channel {
  return {
    send: data => port.postMessage(data),
    onMessage: listener => port.on('message', event => listener(event.data)),
    onClose: listener => port.on('close', listener),
    close: () => port.close(),
  }
}
