import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { writeTinyModel } from '../../../privacy/names/tiny-model.testing.ts'
import { main } from '../main.ts'
import { folder, ioFor } from './call.testing.ts'
import { openNames } from './names.ts'

const sentence = 'In Orkney Wilhelmina Stormvik met jane@bank.ie'
const person = { start: 10, end: 29, type: 'PERSON', rule: 'name-model', score: 0.85 }
const place = { start: 3, end: 9, type: 'LOCATION', rule: 'name-model', score: 0.85 }
const email = { start: 34, end: 46, type: 'EMAIL', rule: 'email', score: 0.95 }

let home: string
beforeEach(() => {
  home = folder()
  writeTinyModel(join(home, 'tiny'))
})
const setInSettings = (privacy: object) => writeFileSync(join(home, 'settings.json'), JSON.stringify({ privacy }))

async function countersign(argv: string[], input: string | Readable) {
  const { io, out, err } = ioFor(input, home)
  const code = await main(argv, io)
  return { code, out: Buffer.concat(out).toString(), err: err.join('') }
}
const spansIn = (out: string) => JSON.parse(out).spans
/** Bytes as a slow program writes them: each chunk ends inside a name sooner or later. */
const inChunks = (text: string, every: number) =>
  Readable.from(text.match(new RegExp(`[^]{1,${every}}`, 'g'))?.map(part => Buffer.from(part)) ?? [])

describe('countersign scan with a model for names', () => {
  it('asks the one that the settings name, unless it is switched off or the command line says otherwise', async () => {
    setInSettings({ namesModel: join(home, 'tiny') })
    const scan = async (...more: string[]) =>
      spansIn((await countersign(['scan', '--json', ...more, '-'], sentence)).out)
    expect(await scan()).toEqual([place, person, email])
    expect(await scan('--no-names-model')).toEqual([email])
    setInSettings({ namesModel: join(home, 'tiny'), namesByModel: false })
    expect(await scan()).toEqual([email])
    rmSync(join(home, 'settings.json'))
    expect(await scan()).toEqual([email])
    writeFileSync(join(home, 'config.json'), JSON.stringify({ privacy: { namesModel: join(home, 'tiny') } }))
    expect(await scan()).toHaveLength(3)
    rmSync(join(home, 'config.json'))
    // Beside the working folder, as people write it.
    expect(await scan('--names-model', 'tiny')).toEqual([place, person, email])
  })

  it.each([1, 11, 14, 19])('finds a name when its bytes come %i at a time', async every => {
    const text = `${'met in '.repeat(400)}${sentence}`
    const { out } = await countersign(['scan', '--json', '--names-model', 'tiny', '-'], inChunks(text, every))
    const moved = [place, person, email].map(span => ({ ...span, start: span.start + 2800, end: span.end + 2800 }))
    expect(spansIn(out)).toEqual(moved)
  })

  it('answers lines of JSON in order, the model asked about those that came together', async () => {
    const lines = [sentence, 'nothing', `${'met '.repeat(500)}${sentence}`].map((text, id) =>
      JSON.stringify({ id, text }),
    )
    const input = Readable.from([Buffer.from(`${lines[0]}\n${lines[1]}\noops\n`), Buffer.from(`${lines[2]}\n`)])
    const { code, out } = await countersign(['scan', '--jsonl', '--names-model', 'tiny', '-'], input)
    const [first, second, third, fourth] = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(first).toEqual({ id: 0, spans: [place, person, email] })
    expect(second).toEqual({ id: 1, spans: [] })
    expect(third.error.code).toBe('request.invalid')
    expect(fourth.spans[1]).toEqual({ ...person, start: 2010, end: 2029 })
    expect(code).toBe(2)
  })

  it('leaves out what the model is not sure enough of', async () => {
    const scan = async (...more: string[]) =>
      spansIn((await countersign(['scan', '--json', '--names-model', 'tiny', ...more, '-'], sentence)).out)
    expect(await scan('--min-score', '0.9')).toEqual([email])
    expect(await scan('--min-score', '0.85')).toHaveLength(3)
  })

  it('reads the environment as the application does, and says what of the settings cannot be used', async () => {
    const { io, out, err } = ioFor(sentence, home)
    const env = { ...io.env, COUNTERSIGN_PRIVACY_NAMES_MODEL: join(home, 'tiny'), COUNTERSIGN_PRIVACY_NAMES_LEAST: '7' }
    expect(await main(['scan', '--json', '-'], { ...io, env })).toBe(1)
    expect(spansIn(Buffer.concat(out).toString())).toHaveLength(3)
    expect(err.join('')).toContain('privacy.namesLeast (environment)')
  })

  it('says once that a model cannot be used; the rules stand, and so does the exit code', async () => {
    writeFileSync(join(home, 'tiny', 'onnx', 'model.onnx'), 'no model')
    const long = `${sentence}\n`.repeat(1000)
    const { code, out, err } = await countersign(['scan', '--json', '--names-model', 'tiny', '-'], inChunks(long, 9000))
    expect(spansIn(out)).toHaveLength(1000)
    expect(err.match(/names\.failed/g)).toHaveLength(1)
    expect(err).toContain('names are found by rules alone')
    expect(code).toBe(1)
  })

  it.each(['scan', 'redact'])('takes a folder without a model for a mistake where `%s` is given it', async name => {
    rmSync(join(home, 'tiny'), { recursive: true })
    const { code, out, err } = await countersign([name, '--names-model', 'tiny', '-'], sentence)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('names.no-folder')
    expect(err).toContain('leave --names-model out')
  })

  it('goes on by rules where the settings name a folder that is gone', async () => {
    rmSync(join(home, 'tiny'), { recursive: true })
    writeFileSync(join(home, 'settings.json'), JSON.stringify({ privacy: { namesModel: join(home, 'tiny') } }))
    const { code, err } = await countersign(['scan', '--json', '-'], 'nothing')
    expect([code, err.match(/names\.no-folder/g)?.length]).toEqual([0, 1])
  })

  it('does not wait for a model that is too slow', async () => {
    const { io, err } = ioFor('', home)
    const args = { values: { 'names-model': 'tiny' }, positionals: [] }
    for (const impatience of [
      { loadMs: 0, answerMs: 1000 },
      { loadMs: 20_000, answerMs: 0 },
    ]) {
      const model = await openNames(args, io, impatience)
      expect(await model?.ask([sentence])).toBeNull()
      expect(await model?.ask([sentence])).toBeNull()
      await model?.close()
    }
    expect(err).toHaveLength(2)
    expect(err[0]).toContain('was not loaded within 0 s')
    expect(err[1]).toContain('did not answer within 0 s')
  })

  it('refuses two wishes at once', async () => {
    const { code, err } = await countersign(['scan', '--names-model', 'tiny', '--no-names-model', '-'], '')
    expect([code, err.includes('not both')]).toEqual([2, true])
  })

  it('waits for the model in a process of its own, and ends with it', async () => {
    mkdirSync(join(home, 'work'))
    writeFileSync(join(home, 'work', 'letter.txt'), sentence)
    const entry = join(import.meta.dirname, '../entry.ts')
    const options = { cwd: join(home, 'work'), env: { ...process.env, COUNTERSIGN_HOME: home } }
    const args = [entry, 'scan', '--json', '--names-model', '../tiny', 'letter.txt']
    const ran = await promisify(execFile)(process.execPath, args, options).catch(error => error)
    expect([ran.code, spansIn(ran.stdout)]).toEqual([1, [place, person, email]])
  })
})

describe('countersign redact with a model for names', () => {
  it('replaces names that only the model knows, and puts them back', async () => {
    setInSettings({ namesModel: join(home, 'tiny') })
    const text = `${'met in '.repeat(400)}${sentence}\n`
    const redacted = await countersign(['redact', '--map', 'x.map', '-'], inChunks(text, 13))
    expect(redacted.out).toBe(`${'met in '.repeat(400)}In [LOCATION_1] [PERSON_1] met [EMAIL_1]\n`)
    expect(redacted.code).toBe(1)
    expect((await countersign(['redact', '--restore', '--map', 'x.map', '-'], redacted.out)).out).toBe(text)
    const byRules = await countersign(['redact', '--no-names-model', '-'], text)
    expect(byRules.out).toContain('In Orkney Wilhelmina Stormvik met [EMAIL_1]')
  })

  it('goes on by rules where the model fails, and loses nothing of the text', async () => {
    writeFileSync(join(home, 'tiny', 'onnx', 'model.onnx'), 'no model')
    const text = `${sentence}\n`.repeat(500)
    const { code, out, err } = await countersign(['redact', '--names-model', 'tiny', '-'], inChunks(text, 777))
    expect(out).toBe(text.replaceAll('jane@bank.ie', '[EMAIL_1]'))
    expect([code, err.match(/names\.failed/g)?.length]).toEqual([1, 1])
  })
})
