import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveWindow } from '../src/doors/rpc/window.ts'
import { openBrowserDoor } from '../src/doors/server/server.ts'
import { type Engine, type EngineOptions, openEngine } from '../src/engine/engine.ts'

/** The application in this process, for scenarios that bring a back end or an environment of their own. */
export async function openOwnEngine(
  options: (folder: string) => Partial<EngineOptions>,
): Promise<{ engine: Engine; url: string; folder: string; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-'))
  const engine = await openEngine({ home: join(folder, 'home'), env: {}, pool: 0, ...options(folder) })
  const door = await openBrowserDoor({
    root: join(import.meta.dirname, '../out/renderer'),
    port: 0,
    log: engine.log,
    serve: (channel, windows) => serveWindow(engine, channel, 'browser', { windows }),
  })
  const close = async () => {
    await door.close()
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { engine, url: door.link(), folder, close }
}
