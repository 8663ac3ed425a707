import { type App, session } from 'electron'
import { appOrigin } from './protocol.ts'

/** Nothing in a window may lead out of it: no navigation, no new windows, no permissions, no web views. */
export function lockDown(app: App): void {
  // As root, Chromium runs only without its own sandbox (`--no-sandbox`), and insisting would leave it without processes.
  if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox()
  app.on('web-contents-created', (_, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
    contents.on('will-navigate', event => event.preventDefault())
    // An output that was allowed to run scripts may try to go elsewhere in its frame.
    contents.on('will-frame-navigate', event => {
      if (!event.url.startsWith(`${appOrigin}/assets/frame-`)) event.preventDefault()
    })
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
    contents.on('will-redirect', event => event.preventDefault())
    contents.on('will-attach-webview', event => event.preventDefault())
  })
  // Nothing here has a name to look up, and a look-up alone could carry data out.
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND')
  void app.whenReady().then(() => {
    session.defaultSession.setPermissionRequestHandler((_contents, permission, answer) =>
      answer(allowed.has(permission)),
    )
    session.defaultSession.setPermissionCheckHandler((_contents, permission) => allowed.has(permission))
    // The page is ours and complete: whatever else asks for the network is a mistake or an attack.
    session.defaultSession.webRequest.onBeforeRequest((details, answer) =>
      answer({ cancel: !/^(app|data|blob|devtools|about|chrome-extension):/.test(details.url) }),
    )
  })
}

/** Copying a table is the one thing a page asks the system for. */
const allowed = new Set<string>(['clipboard-sanitized-write'])

/** A message counts only when it comes from the top frame of our own page. */
export function isOurPage(frame: Electron.WebFrameMain | null): boolean {
  return frame !== null && frame.parent === null && frame.origin === appOrigin
}
