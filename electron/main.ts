import { join } from 'node:path'
import { app, dialog } from 'electron'
import { problemOf } from '../src/contract/problem.ts'
import { followMcpSettings } from '../src/doors/mcp/switch.ts'
import { type Engine, openEngine } from '../src/engine/engine.ts'
import { homeFolder } from '../src/places.ts'
import { desktopKeyStore } from './keystore.ts'
import { installMenu } from './menu.ts'
import { notify } from './notify.ts'
import { printPdf } from './print.ts'
import { registerAppScheme, serveRenderer } from './protocol.ts'
import { serveWindows } from './rpc.ts'
import { lockDown } from './security.ts'
import { openWindow, reveal } from './window.ts'

/** The desktop door: one instance, one window to begin with, nothing that leads out of the application. */
registerAppScheme()
lockDown(app)
// All data in one place, and one instance for each such place.
app.setPath('userData', join(homeFolder(), 'window'))

if (!app.requestSingleInstanceLock()) {
  // The first instance hears of this and shows itself.
  app.quit()
} else {
  void start()
}

async function start(): Promise<void> {
  await app.whenReady()
  let engine: Engine
  try {
    const home = homeFolder()
    engine = await openEngine({ home, env: process.env, keys: desktopKeyStore(home), printPdf, notify })
  } catch (error) {
    const { message, hint } = problemOf(error)
    dialog.showErrorBox('Countersign cannot start', `${message}\n\n${hint}`)
    app.exit(1)
    return
  }
  serveRenderer()
  const mcpDoor = followMcpSettings(engine)
  serveWindows(engine, mcpDoor)
  installMenu()
  openWindow(engine.home)
  app.on('second-instance', reveal)
  app.on('activate', () => openWindow(engine.home))
  app.on('window-all-closed', () => app.quit())
  closeBefore(app, async () => {
    await mcpDoor.close()
    await engine.close()
  })
}

/** Holds the exit until sandboxes are ended and the record is closed. */
function closeBefore(application: Electron.App, close: () => Promise<void>): void {
  let closed = false
  application.on('before-quit', event => {
    if (closed) return
    event.preventDefault()
    void close().finally(() => {
      closed = true
      application.quit()
    })
  })
}
