import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { writerProgram } from './crash.testing.ts'

/**
 * What a disk would hold if the power went: `kill -9` does not show a forgotten fsync, since the kernel still writes
 * what the dead process handed over. So the writes and syncs of a real writer are recorded with strace, and the files
 * are built again as they may be at any sync: with all that was synced, and with any part of what was not.
 */
export interface Trace {
  readonly steps: readonly Step[]
}

type Step =
  | { readonly kind: 'write'; readonly file: string; readonly offset: number | null; readonly bytes: Buffer }
  | { readonly kind: 'cut'; readonly file: string; readonly length: number }
  | { readonly kind: 'remove'; readonly file: string }
  | { readonly kind: 'rename' | 'link'; readonly file: string; readonly to: string }
  | { readonly kind: 'sync'; readonly file: string }

export const canTrace = (): boolean => spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

export function traceWriter(folder: string, name: string, count: number): Trace {
  mkdirSync(folder, { recursive: true })
  const calls = 'trace=write,pwrite64,ftruncate,fsync,fdatasync,unlink,unlinkat,rename,link'
  const how = ['-ff', '-y', '-qq', '-xx', '-s', '1000000', '-e', calls, '-o', join(folder, 'trace')]
  execFileSync('strace', [...how, process.execPath, writerProgram, folder, name, String(count)], { stdio: 'pipe' })
  const traces = readdirSync(folder).filter(each => each.startsWith('trace.'))
  // SQLite, the checkpoint file and the acknowledgements are all written by one thread: the one that syncs the log.
  const texts = traces.map(each => readFileSync(join(folder, each), 'latin1'))
  for (const each of traces) rmSync(join(folder, each))
  const main = texts.find(text => /f(?:data)?sync\(\d+<[^>]*-wal>\)/.test(decoded(text)))
  return {
    steps: decoded(main ?? '')
      .split('\n')
      .flatMap(line => stepOf(line, folder)),
  }
}

/** Paths come out in hex like everything else. */
const decoded = (text: string) =>
  text.replace(/<((?:\\x[0-9a-f]{2})+)>/g, (_, hex: string) => `<${bytesOf(hex).toString('utf8')}>`)

const bytesOf = (hex: string) => Buffer.from(hex.replaceAll('\\x', ''), 'hex')

function stepOf(line: string, folder: string): Step[] {
  const [, call, path, rest] = /^(\w+)\(\d+<([^>]*)>(.*)$/.exec(line) ?? []
  if (call?.endsWith('sync') && path === folder) return [{ kind: 'sync', file: '.' }]
  if (call && path?.startsWith(`${folder}/`) && rest !== undefined) {
    const file = relative(folder, path)
    if (file.endsWith('-shm')) return []
    const [, data = '', , offset] = /^, "((?:\\x[0-9a-f]{2})*)", (\d+)(?:, (\d+))?\)/.exec(rest) ?? []
    if (call === 'pwrite64') return [{ kind: 'write', file, offset: Number(offset), bytes: bytesOf(data) }]
    if (call === 'write') return [{ kind: 'write', file, offset: null, bytes: bytesOf(data) }]
    if (call === 'ftruncate') return [{ kind: 'cut', file, length: Number(/^, (\d+)/.exec(rest)?.[1]) }]
    if (call === 'fsync' || call === 'fdatasync') return [{ kind: 'sync', file }]
  }
  const [, change, hex = '', hexTo = ''] =
    /^(unlink|rename|link)\("((?:\\x[0-9a-f]{2})+)"(?:, "((?:\\x[0-9a-f]{2})+)")?\)\s+= 0/.exec(line) ?? []
  const changed = bytesOf(hex).toString('utf8')
  if (!change || !changed.startsWith(`${folder}/`)) return []
  const file = relative(folder, changed)
  const to = relative(folder, bytesOf(hexTo).toString('utf8'))
  if (change === 'unlink') return [{ kind: 'remove', file }]
  return [{ kind: change === 'link' ? 'link' : 'rename', file, to }]
}

/** Where a crash is most telling: right after each sync, and in the middle between it and the next. */
export const crashPoints = (trace: Trace): number[] => {
  const syncs = trace.steps.flatMap((step, at) => (step.kind === 'sync' ? [at + 1] : []))
  return syncs.flatMap((at, place) => [at, Math.floor((at + (syncs[place + 1] ?? trace.steps.length)) / 2)])
}

/**
 * Builds the files as a crash after `end` steps may leave them. `survives` says of each write that was not synced
 * whether the disk has it all the same. Returns the titles that had been acknowledged by then.
 */
export function rebuild(trace: Trace, end: number, survives: () => boolean, folder: string, name: string): string[] {
  const steps = trace.steps.slice(0, end)
  const lastSync = new Map<string, number>()
  for (const [at, step] of steps.entries()) if (step.kind === 'sync') lastSync.set(step.file, at)
  const files = new Map<string, Buffer>()
  let acknowledged = ''
  for (const [at, step] of steps.entries()) {
    // What the writer told its caller is out in the world, whatever the disk does.
    if (step.file === `${name}.acknowledged` && step.kind === 'write') acknowledged += step.bytes.toString('utf8')
    // What happens to names is there for good once their folder is synced.
    const isName = step.kind === 'remove' || step.kind === 'rename' || step.kind === 'link'
    const synced = at < (lastSync.get(isName ? dirname(step.file) : step.file) ?? -1)
    if (synced || survives()) apply(files, step)
  }
  mkdirSync(folder, { recursive: true })
  for (const [file, bytes] of files) {
    if (file.endsWith('.acknowledged')) continue
    mkdirSync(dirname(join(folder, file)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, file), bytes, { mode: 0o600 })
  }
  return acknowledged.split('\n').filter(line => line !== '' && line !== 'ready')
}

function apply(files: Map<string, Buffer>, step: Step): void {
  const now = files.get(step.file) ?? Buffer.alloc(0)
  if (step.kind === 'rename' || step.kind === 'link') files.set(step.to, now)
  if (step.kind === 'remove' || step.kind === 'rename') files.delete(step.file)
  if (step.kind === 'cut') files.set(step.file, resized(now, step.length))
  if (step.kind !== 'write') return
  const start = step.offset ?? now.length
  const next = resized(now, Math.max(now.length, start + step.bytes.length))
  step.bytes.copy(next, start)
  files.set(step.file, next)
}

function resized(bytes: Buffer, length: number): Buffer {
  const next = Buffer.alloc(length)
  bytes.copy(next, 0, 0, Math.min(bytes.length, length))
  return next
}
