import { contextBridge, ipcRenderer } from 'electron'

/** All that a page gets of the desktop: a line to the engine and the commands of the menu. */
contextBridge.exposeInMainWorld('countersign', {
  platform: process.platform,
  connect() {
    const { port1, port2 } = new MessageChannel()
    ipcRenderer.postMessage('countersign:connect', null, [port2])
    window.postMessage('countersign:port', window.location.origin, [port1])
  },
  onCommand(listener: (id: string) => void) {
    ipcRenderer.on('countersign:command', (_event, id: unknown) => {
      if (typeof id === 'string') listener(id)
    })
  },
})
