import { createCipheriv, scryptSync } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Io } from '../command.ts'
import { main } from '../main.ts'
import { call, folder, ioFor } from './call.testing.ts'
import { command as redact } from './redact.ts'

describe('countersign redact', () => {
  it('replaces, keeps an encrypted map, and puts everything back', async () => {
    const cwd = folder()
    const text = 'Dear Jane, [EMAIL_1] is not jane@bank.ie; card 4111 1111 1111 1111.\n'
    const { out } = await call(redact, { map: 'x.map' }, ['-'], text, cwd)
    expect(out).toBe('Dear [PERSON_1], [LITERAL_1] is not [EMAIL_2]; card [CREDIT_CARD_1].\n')
    expect(readFileSync(join(cwd, 'x.map'), 'latin1')).not.toContain('jane')
    expect((await call(redact, { restore: true, map: 'x.map' }, ['-'], out, cwd)).out).toBe(text)
  })

  it('opens a map with its passphrase and with no other', async () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'right'), 'correct horse\n')
    writeFileSync(join(cwd, 'wrong'), 'battery staple\n')
    const { out } = await call(redact, { map: 'x.map', 'passphrase-file': 'right' }, ['-'], 'jane@bank.ie', cwd)
    expect((await call(redact, { restore: true, map: 'x.map', 'passphrase-file': 'right' }, ['-'], out, cwd)).out).toBe(
      'jane@bank.ie',
    )
    await expect(
      call(redact, { restore: true, map: 'x.map', 'passphrase-file': 'wrong' }, ['-'], out, cwd),
    ).rejects.toThrow('cannot be opened')
  })

  it('goes on with a map that is there, so that tokens are the same in all its texts', async () => {
    const cwd = folder()
    const first = await call(redact, { map: 'x.map' }, ['-'], 'jane@bank.ie', cwd)
    const second = await call(redact, { map: 'x.map' }, ['-'], 'joe@bank.ie jane@bank.ie', cwd)
    expect([first.out, second.out]).toEqual(['[EMAIL_1]', '[EMAIL_2] [EMAIL_1]'])
    const back = async (text: string) => (await call(redact, { restore: true, map: 'x.map' }, ['-'], text, cwd)).out
    expect(await back(first.out)).toBe('jane@bank.ie')
    expect(await back(second.out)).toBe('joe@bank.ie jane@bank.ie')
  })

  it('goes on with a map of many parts', async () => {
    const cwd = folder()
    const people = Array.from({ length: 3000 }, (_, at) => `p${at}@bank.ie`)
    await call(redact, { map: 'x.map' }, ['-'], people.join('\n'), cwd)
    const text = [...people, 'new@bank.ie'].reverse().join('\n')
    const { out } = await call(redact, { map: 'x.map' }, ['-'], text, cwd)
    expect(out.split('\n').reverse()).toEqual(Array.from({ length: 3001 }, (_, at) => `[EMAIL_${at + 1}]`))
    expect((await call(redact, { restore: true, map: 'x.map' }, ['-'], out, cwd)).out).toBe(text)
  })

  it('reads maps of the first release and goes on with them', async () => {
    const cwd = folder()
    const [passphrase, salt, nonce] = ['correct horse', Buffer.alloc(16, 1), Buffer.alloc(12, 2)]
    writeFileSync(join(cwd, 'secret'), passphrase)
    const intro = { format: 'countersign-map-1', by: 'passphrase', salt: salt.toString('base64') }
    const header = `${JSON.stringify({ ...intro, nonce: nonce.toString('base64') })}\n`
    const key = scryptSync(passphrase, salt, 32, { N: 1 << 15, r: 8, p: 1, maxmem: 64 << 20 })
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    cipher.setAAD(Buffer.from(header))
    const entries = [{ token: '[EMAIL_7]', type: 'EMAIL', value: 'a@b.ie', kind: 'text' }]
    const sealed = [cipher.update(JSON.stringify(entries)), cipher.final(), cipher.getAuthTag()]
    writeFileSync(join(cwd, 'x.map'), Buffer.concat([Buffer.from(header), ...sealed]))
    const options = { map: 'x.map', 'passphrase-file': 'secret' }
    expect((await call(redact, options, ['-'], 'a@b.ie c@d.ie', cwd)).out).toBe('[EMAIL_7] [EMAIL_8]')
    expect((await call(redact, { ...options, restore: true }, ['-'], '[EMAIL_7] [EMAIL_8]', cwd)).out).toBe(
      'a@b.ie c@d.ie',
    )
  })

  it('refuses a map that it cannot open or write before it prints anything, and leaves it as it was', async () => {
    const cwd = folder()
    await call(redact, { map: 'x.map' }, ['-'], 'jane@bank.ie', cwd)
    const whole = readFileSync(join(cwd, 'x.map'))
    writeFileSync(join(cwd, 'cut.map'), whole.subarray(0, -60))
    writeFileSync(join(cwd, 'other'), 'no map at all')
    writeFileSync(join(cwd, 'busy.map.new'), '')
    for (const argv of [
      ['--map', 'cut.map'],
      ['--map', 'other'],
      ['--map', 'busy.map'],
      ['--map', 'nowhere/x.map'],
      ['--map', 'x.map', '--passphrase-file', 'nowhere'],
      ['--map', 'nowhere.map', '--restore'],
    ]) {
      const { io, out, err } = ioFor('jane@bank.ie', cwd)
      expect([argv, await main(['redact', ...argv, '-'], io)]).toEqual([argv, 2])
      expect([argv, out]).toEqual([argv, []])
      expect(err.join('')).toMatch(/map|passphrase/)
    }
    expect(readFileSync(join(cwd, 'x.map'))).toEqual(whole)
  })

  it('leaves no half map behind when the text cannot be read', async () => {
    const cwd = folder()
    const { io } = ioFor('', cwd)
    expect(await main(['redact', '--map', 'x.map', 'nowhere.txt'], io)).toBe(2)
    expect(readdirSync(cwd).filter(name => name.includes('map'))).toEqual([])
  })

  it('makes no key to put back with', async () => {
    const cwd = folder()
    await call(redact, { map: 'x.map' }, ['-'], 'jane@bank.ie', cwd)
    rmSync(join(cwd, 'keys'), { recursive: true })
    const { io, err } = ioFor('[EMAIL_1]', cwd)
    expect(await main(['redact', '--restore', '--map', 'x.map', '-'], io)).toBe(2)
    expect(err.join('')).toContain('no key for maps')
    expect(existsSync(join(cwd, 'keys', 'redact-map'))).toBe(false)
  })

  it('exits 1 when something was found, 0 when nothing was and when all is put back', async () => {
    const cwd = folder()
    expect((await call(redact, { map: 'x.map' }, ['-'], 'jane@bank.ie', cwd)).code).toBe(1)
    expect((await call(redact, {}, ['-'], 'nothing', cwd)).code).toBe(0)
    expect((await call(redact, { map: 'x.map', restore: true }, ['-'], '[EMAIL_1]', cwd)).code).toBe(0)
  })

  it('needs constant memory for an endless line', async () => {
    const chunk = 'a1b2c3 4111111111111111 '.repeat(4096)
    async function* endless() {
      for (let count = 0; count < 60; count++) yield Buffer.from(count % 3 === 0 ? '9'.repeat(100_000) : chunk)
    }
    const before = process.memoryUsage().heapUsed
    let written = 0
    const counting = new Writable({
      highWaterMark: 1024,
      write(part, _encoding, done) {
        written += part.length
        setImmediate(done)
      },
    })
    const io: Io = {
      stdin: Readable.from(endless(), { objectMode: false }),
      stdout: counting,
      stderr: new Writable({ write: (_part, _encoding, done) => done() }),
      env: {},
      cwd: '/',
      signal: new AbortController().signal,
    }
    expect(await redact.run({ values: {}, positionals: ['-'] }, io)).toBe(1)
    expect(counting.listenerCount('error')).toBeLessThan(2)
    expect(written).toBeGreaterThan(4_000_000)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100_000_000)
  })
})
