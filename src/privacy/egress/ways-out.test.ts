import { globSync, readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { PassEgress } from '../../audit/audit.ts'
import type { ConversationsOptions } from '../../conversations/conversations.ts'
import type { SinkOptions, WebhookMessage } from '../../telemetry/alerts.ts'
import { meansIn } from './means.testing.ts'
import type { Passed } from './passed.ts'
import { waysOut } from './ways-out.ts'

const files = globSync(['src/**/*.ts', 'electron/**/*.ts', 'renderer/**/*.{ts,tsx}']).filter(
  file => !/\.(?:test|testing)\.tsx?$|\/testing\.ts$|\/corpus\//.test(file),
)

describe('ways out', () => {
  it('are all reviewed, in the engine, on the desktop and in the page', () => {
    const open = files.flatMap(file => {
      const means = meansIn(file, readFileSync(file, 'utf8'))
      return means.length > 0 ? [[file, means] as const] : []
    })
    const listed = Object.entries(waysOut).map(([file, { means }]) => [file, [...means].sort()] as const)
    // Add the file to `ways-out.ts`, and let it take `Passed<…>` if anything of the user's goes through it.
    expect(Object.fromEntries(open)).toEqual(Object.fromEntries(listed))
  })

  it('take what has passed the guard: the compiler refuses anything else', () => {
    type Given<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>
    type Value<T> = T extends { ok: true; value: infer V } ? V : never
    expectTypeOf<Value<Given<SinkOptions['passEgress']>>>().toEqualTypeOf<Passed<WebhookMessage>>()
    expectTypeOf<Value<Given<PassEgress>>>().toEqualTypeOf<Passed<readonly string[]>>()
    expectTypeOf<Given<ConversationsOptions['redact']>>().toEqualTypeOf<Passed<readonly string[]>>()
    // @ts-expect-error: a value in the shape of a pass is none.
    const forged: Passed<string> = { value: 'raw' }
    expect(forged.value).toBe('raw')
  })

  it('cannot make a pass for themselves', () => {
    const forgers = files.filter(file =>
      /\bas (?:\w+ as )?Passed\b|<Passed<[^>]*>>\s*[({]/.test(readFileSync(file, 'utf8')),
    )
    expect(forgers).toEqual(['src/privacy/egress/guard.ts'])
  })
})

/** Each is a way out that somebody could add tomorrow; each must be seen. */
const mutants: Record<string, string> = {
  'a child process': `import { execFile } from 'node:child_process'; execFile('curl', ['-d', text, url])`,
  'a re-export': `export { request } from 'node:https'`,
  'a re-export of everything': `export * from 'node:https'`,
  'an old name of a module': `import https from 'https'`,
  'import equals': `import http = require('node:http')`,
  'a global by name': `fetch(url, { body: text })`,
  'a global under another name': `const send = fetch`,
  'a default': `function f(send = fetch) {}`,
  'a shorthand property': `const tools = { fetch }`,
  'a computed global': `globalThis['fetch'](url)`,
  'a global by template': 'globalThis[`fetch`](url)',
  'a global put together': `globalThis['fe' + 'tch'](url)`,
  'a global of Node': `global.fetch(url)`,
  'a global of a worker': `self.fetch(url)`,
  'a computed member of self': `self[name](url)`,
  'the global object in hand': `const everything = globalThis; everything.x()`,
  'a global taken apart': `const { fetch: send } = globalThis`,
  'names of hosts': `import { lookup } from 'node:dns'; lookup(text + '.example.org', f)`,
  datagrams: `import dgram from 'node:dgram'`,
  'a client library': `import fetch2 from 'node-fetch'`,
  'a cloud library': `import { S3Client } from '@aws-sdk/client-s3'`,
  'a file of a library': `import { request } from 'undici/index.js'`,
  'a library nobody knows': `import { upload } from 'handy-upload'`,
  'a module put together': 'const m = await import(`node:${name}`)',
  'a module in a variable': `await import(name)`,
  'a required module': `const net = require('node:net')`,
  'a built-in module': `process.getBuiltinModule('node:net')`,
  'a built-in module by variable': `process.getBuiltinModule(name)`,
  'a require made here': `import { createRequire } from 'node:module'; createRequire(here)('node:net')`,
  'a bound module': `process.binding('tcp_wrap')`,
  'a file that is written': `import { writeFile } from 'node:fs/promises'; writeFile('/mnt/share/x', text)`,
  'a file that is appended to': `import { appendFileSync as log } from 'node:fs'`,
  'a file that is copied': `import { cp } from 'node:fs/promises'`,
  'a file system kept whole': `import * as fs from 'node:fs'; fs.writeFileSync('x', text)`,
  'a file system by default': `import fs from 'fs'`,
  'a file system loaded late': `const { writeFile } = await import('node:fs/promises')`,
  'another process': `import cluster from 'node:cluster'`,
  'an inspector': `import inspector from 'node:inspector'`,
  'text that runs': `new Function('return fetch')()`,
  evaluation: `eval(text)`,
  'the net of the desktop': `import { net } from 'electron'; net.fetch(url)`,
  'a program of the desktop': `import { shell } from 'electron'; shell.openExternal(url + text)`,
  'a notification': `new Notification(text)`,
  'the clipboard': `navigator.clipboard.writeText(text)`,
  'a beacon': `navigator.sendBeacon(url, text)`,
  'a computed member of the navigator': `navigator[name](url, text)`,
  'a download': `URL.createObjectURL(new Blob([text]))`,
  'another window': `window.open(url + text)`,
  'a printer': `window.print()`,
  'a peer': `new RTCPeerConnection()`,
}

describe('the search for ways out', () => {
  it.each(Object.entries(mutants))('sees %s', (_name, code) => {
    expect(meansIn('src/new.ts', code)).not.toEqual([])
  })

  it('does not cry at types, names and readers', () => {
    const quiet = `
      import type { Server } from 'node:http'
      import { type Socket } from 'node:net'
      import { readFileSync, existsSync } from 'node:fs'
      import { join } from 'node:path'
      export type { Agent } from 'node:https'
      interface Sender { fetch(url: string): void; send?: typeof fetch }
      const refetch = { fetch: 1 }
      globalThis.setTimeout(f, 1)
      dialog.open()
    `
    expect(meansIn('src/new.ts', quiet)).toEqual([])
  })
})
