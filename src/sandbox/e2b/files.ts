import { fail, type Outcome, ok, type Problem } from '../../contract/problem.ts'
import type { WorkFile } from '../../contract/sandbox.ts'
import { refusal } from '../kernel/files.ts'
import type { WorkFolder } from '../sandbox.ts'
import type { CloudParts } from './cloud-sandbox.ts'
import { workFolder } from './programs.ts'
import type { CloudMachine } from './service.ts'

export interface Noticed {
  changed(): void
  failed(error: unknown): Promise<{ ok: false; problem: Problem }>
  isClosed(): boolean
  /** How many runs there have been. */
  runs(): number
  /** Wakes the machine where the service has paused it. */
  ready(): Promise<void>
}

/** Values are put back into a file as a whole, in memory; code there could make one of any length. */
const mostBytes = 256 * 1024 * 1024

/** The working folder at the service. Text leaves through the guard; what cannot be read as text does not leave. */
export function cloudFiles(
  { machine, guard, conversation, limits }: Pick<CloudParts, 'machine' | 'guard' | 'conversation' | 'limits'>,
  noticed: Noticed,
): WorkFolder {
  const most = Math.min(limits.diskBytes, mostBytes)
  /** The file that is being read in pieces is fetched once; a run may change it. */
  let reading: { path: string; whole: Uint8Array; runs: number } | null = null

  async function fetchWhole(path: string): Promise<Outcome<Uint8Array>> {
    const bytes = await machine.read(path, most)
    if (!bytes) return tooLong(path, most)
    const text = textOf(bytes)
    return ok(text === null ? bytes : Buffer.from(await guard.restore(text, conversation)))
  }

  async function at<T>(path: string, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    if (noticed.isClosed()) return fail('sandbox.closed', 'The sandbox has ended.', 'Run a cell to start a new one.')
    if (path.startsWith('/') || path.includes('\0') || path.split('/').includes('..'))
      return refusal('refused', `${path} is not in the working folder`)
    try {
      await noticed.ready()
      return await work()
    } catch (error) {
      if (error instanceof Error && error.name === 'FileNotFoundError')
        return refusal('missing', `There is no file ${path}.`)
      return noticed.failed(error)
    }
  }

  return {
    list: (folder = '') => at(folder, async () => ok((await machine.list(folder)).filter(isInside).map(workFile))),

    read: (path, range) =>
      at(path, async () => {
        const isNext =
          reading?.path === path && reading.runs === noticed.runs() && range !== undefined && range.offset > 0
        const whole = isNext && reading ? ok(reading.whole) : await fetchWhole(path)
        reading = null
        if (!whole.ok || !range) return whole
        const end = range.offset + range.length
        if (end < whole.value.length) reading = { path, whole: whole.value, runs: noticed.runs() }
        return ok(whole.value.subarray(range.offset, end))
      }),

    write: (path, bytes, { append = false } = {}) =>
      at(path, async () => {
        // Checked as a whole: a value may be split over two pieces.
        const before = append ? await machine.read(path, most) : new Uint8Array()
        if (!before) return tooLong(path, most)
        const text = textOf(Buffer.concat([before, bytes]))
        if (text === null) return notText(path)
        const passed = await guard.pass({ path, text }, conversation)
        if (!passed.ok) return passed
        if (passed.value.value.path !== path) return privateName()
        await machine.write(passed.value)
        reading = null
        noticed.changed()
        return ok(undefined)
      }),

    remove: path =>
      at(path, async () => {
        await machine.remove(path)
        reading = null
        noticed.changed()
        return ok(undefined)
      }),
  }
}

/** Every file with what tells that it was changed. */
export async function filesOf(machine: CloudMachine): Promise<Map<string, string>> {
  const entries = await machine.listAll()
  return new Map(
    entries
      .filter(entry => entry.type === 'file' && isInside(entry))
      .map(entry => [relative(entry.path), `${entry.size} ${entry.modifiedTime?.getTime() ?? 0}`]),
  )
}

type Entry = Awaited<ReturnType<CloudMachine['list']>>[number]
const kinds = { file: 'file', dir: 'folder', symlink: 'link' } as const

const workFile = (entry: Entry): WorkFile => ({
  path: relative(entry.path),
  kind: entry.type ? kinds[entry.type] : 'other',
  bytes: entry.size,
  modifiedAt: entry.modifiedTime?.getTime() ?? 0,
})

const relative = (path: string) => path.slice(workFolder.length + 1)
/** The list is the service's word. */
const isInside = ({ path }: Entry) => path.startsWith(`${workFolder}/`) && !path.split('/').includes('..')

function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

const notText = (path: string): Outcome<never> =>
  fail(
    'privacy.held',
    `${path} was not sent: it is not text, so it cannot be checked for private values.`,
    'Convert it to text (CSV, JSON), or use a sandbox of this machine.',
  )
const tooLong = (path: string, most: number): Outcome<never> =>
  fail(
    'request.too-large',
    `${path} is longer than ${Math.floor(most / 1024 ** 2)} MB and stays in the cloud.`,
    'Write it in smaller files, or use a sandbox of this machine.',
  )
const privateName = (): Outcome<never> =>
  fail('privacy.held', 'The file was not sent: its name holds a private value.', 'Rename it.')
