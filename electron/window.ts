import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BrowserWindow, nativeTheme, screen } from 'electron'
import { z } from 'zod'
import { writeWhole } from '../src/settings/settings.ts'
import { appOrigin } from './protocol.ts'

const WindowState = z.object({
  x: z.number().optional(),
  y: z.number().optional(),
  width: z.number().min(400).max(10_000),
  height: z.number().min(300).max(10_000),
  maximized: z.boolean(),
})
type WindowState = z.infer<typeof WindowState>

const standard: WindowState = { width: 1440, height: 900, maximized: false }

/** Opens a window where the last one was. */
export function openWindow(home: string): void {
  const file = join(home, 'window.json')
  const state = restore(file)
  const window = new BrowserWindow({
    ...(state.x === undefined ? {} : { x: state.x, y: state.y }),
    width: state.width,
    height: state.height,
    minWidth: 760,
    minHeight: 480,
    show: false,
    title: 'Countersign',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#15181b' : '#f7f5f1',
    webPreferences: {
      preload: join(import.meta.dirname, '../preload/preload.cjs'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webSecurity: true,
      spellcheck: false,
    },
  })
  if (state.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  window.on('close', () => {
    writeWhole(file, JSON.stringify({ ...window.getNormalBounds(), maximized: window.isMaximized() }))
  })
  void window.loadURL(`${appOrigin}/`)
}

/** Brings the window to the front when the application is started a second time. */
export function reveal(): void {
  const [window] = BrowserWindow.getAllWindows()
  if (!window) return
  if (window.isMinimized()) window.restore()
  window.focus()
}

function restore(file: string): WindowState {
  let state: WindowState
  try {
    state = WindowState.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return standard
  }
  // The screen that it stood on may be gone; a window nobody can see cannot be moved back.
  const seen = screen.getAllDisplays().some(({ workArea: area }) => {
    const { x = 0, y = 0 } = state
    return x >= area.x - 50 && y >= area.y - 50 && x < area.x + area.width - 100 && y < area.y + area.height - 100
  })
  return seen ? state : { ...standard, maximized: state.maximized }
}
