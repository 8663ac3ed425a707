import { createReadStream, existsSync, statSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { basename, extname, join, normalize, sep } from 'node:path'
import { pipeline } from 'node:stream'

/** What the page may load and reach: only itself. Monaco and Vega need inline styles; nothing needs `eval`. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const securityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
} as const

/**
 * The page in which HTML and SVG outputs are shown has a policy of its own, written into it, and no origin that anyone
 * shares; the application's policy would keep even its sizing script from running.
 */
const framePolicy = "frame-ancestors 'self'; sandbox allow-scripts"

/** What goes with a file of the renderer, in every door. */
export function headersFor(file: string): Record<string, string> {
  const isFrame = /^frame-[\w-]+\.html$/.test(basename(file))
  return {
    ...securityHeaders,
    ...(isFrame ? { 'Content-Security-Policy': framePolicy } : {}),
    'Content-Type': mimeTypes[extname(file)] ?? 'application/octet-stream',
  }
}

const mimeTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
  '.svg': 'image/svg+xml',
  '.ico': 'image/x-icon',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
}

/** The file behind an address, or null: nothing outside `root`, whatever the address says. */
export function resolveAsset(root: string, pathname: string): string | null {
  let decoded: string
  try {
    decoded = decodeURIComponent(pathname)
  } catch {
    return null
  }
  if (decoded.includes('\0')) return null
  const file = normalize(join(root, decoded === '/' ? 'index.html' : decoded))
  if (!file.startsWith(root + sep)) return null
  return existsSync(file) && statSync(file, { throwIfNoEntry: false })?.isFile() ? file : null
}

export function sendFile(response: ServerResponse, file: string): void {
  const hashed = /-[\w-]{8,}\.\w+$/.test(file)
  response.writeHead(200, {
    ...headersFor(file),
    'Content-Length': statSync(file).size,
    'Cache-Control': hashed ? 'public, max-age=31536000, immutable' : 'no-store',
  })
  // A file that cannot be read half-way ends this answer; an error that nobody hears would end the process.
  pipeline(createReadStream(file), response, () => undefined)
}
