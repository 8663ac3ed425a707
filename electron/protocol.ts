import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { net, protocol } from 'electron'
import { headersFor, resolveAsset } from '../src/doors/server/static.ts'

/** The renderer is served by a scheme of its own: `file:` pages share one origin with every file on the disk. */
const scheme = 'app'
export const appOrigin = `${scheme}://countersign`

export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

export function serveRenderer(): void {
  const root = join(import.meta.dirname, '../renderer')
  const development = process.env.ELECTRON_RENDERER_URL
  protocol.handle(scheme, async request => {
    const url = new URL(request.url)
    if (url.host !== 'countersign') return new Response('Not found', { status: 404 })
    if (development) return net.fetch(new URL(url.pathname + url.search, development).href)
    const file = resolveAsset(root, url.pathname)
    if (!file) return new Response('Not found', { status: 404 })
    return new Response(new Uint8Array(await readFile(file)), {
      headers: headersFor(file),
    })
  })
}
