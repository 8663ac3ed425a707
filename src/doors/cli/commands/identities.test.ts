import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../storage/testing.ts'
import { main } from '../main.ts'

async function countersign(home: string, ...argv: string[]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stdin.end()
  const env = { ...process.env, COUNTERSIGN_HOME: home }
  const code = await main(argv, { stdin, stdout, stderr, env, cwd: home, signal: AbortSignal.any([]) })
  stdout.end()
  stderr.end()
  return { code, out: await text(stdout), err: await text(stderr) }
}

it('adds people, lets one vouch for another, and says who counts', async () => {
  const home = temporaryFolder()
  writeFileSync(join(home, 'vera.txt'), 'correct horse\n')
  writeFileSync(join(home, 'rea.txt'), 'battery staple\n')
  expect(await countersign(home, 'identities', 'add', 'Vera', '--passphrase-file', 'vera.txt')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Nobody has vouched for them yet'),
  })
  await countersign(home, 'identities', 'add', 'Rea', '--passphrase-file', 'rea.txt')
  const vouch = ['identities', 'vouch', 'Rea', '--as', 'vera', '--passphrase-file']
  const wrong = await countersign(home, ...vouch, 'rea.txt')
  expect(wrong).toMatchObject({ out: '', err: expect.stringContaining('not the passphrase of Vera') })
  expect(wrong.code).not.toBe(0)
  expect(await countersign(home, ...vouch, 'vera.txt')).toMatchObject({
    code: 0,
    out: 'Vera has vouched for Rea. It is on the record.\n',
  })
  const { out } = await countersign(home, 'identities')
  expect(out).toContain('Vera: passphrase; nobody has vouched for them\nRea: passphrase; vouched for by Vera\n')
  const withdraw = ['identities', 'withdraw', 'Rea', '--as', 'Vera', '--passphrase-file', 'vera.txt']
  expect(await countersign(home, ...withdraw)).toMatchObject({
    code: 0,
    out: 'Vera has withdrawn the vouch for Rea. It is on the record.\n',
  })
  expect((await countersign(home, 'identities')).out).toContain('Rea: passphrase; nobody has vouched for them\n')
  expect(await countersign(home, ...withdraw)).toMatchObject({ code: 3, err: expect.stringContaining('not vouching') })
  const themselves = ['identities', 'vouch', 'Vera', '--as', 'Vera', '--passphrase-file', 'vera.txt']
  expect(await countersign(home, ...themselves)).toMatchObject({ code: 3, err: expect.stringContaining('themselves') })
  expect(await countersign(home, 'identities', 'vouch', 'Rea')).toMatchObject({ code: 2 })
})
