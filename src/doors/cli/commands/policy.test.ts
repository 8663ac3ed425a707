import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { policySchema } from '../../../approval/approval.ts'
import { temporaryFolder } from '../../../storage/testing.ts'
import { exit } from '../command.ts'
import { main } from '../main.ts'

/** The terminal door as a script sees it, with a data folder of its own. */
function terminal(policy?: string) {
  const cwd = temporaryFolder()
  const home = join(cwd, 'home')
  mkdirSync(home)
  if (policy !== undefined) writeFileSync(join(home, 'policy.yaml'), policy)
  return {
    cwd,
    async run(args: string[], input = '') {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()]
      const env = { COUNTERSIGN_HOME: home }
      const io = { stdin: Readable.from([input]), stdout, stderr, env, cwd, signal: new AbortController().signal }
      const code = await main(args, io)
      return { code, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') }
    },
  }
}

describe('a policy file that cannot be read', () => {
  it('is told of on standard error, in the warnings of a run and by doctor', async () => {
    const { run } = terminal('thresholds: { low: maybe }')
    const ran = await run(['run', '-', '--language', 'python', '--json'], 'print(1)')
    expect(ran.err).toContain('The policy cannot be read: thresholds.low')
    expect(JSON.parse(ran.out).warnings[0]).toContain('The policy cannot be read: thresholds.low')
    const { probes } = JSON.parse((await run(['doctor', '--json'])).out)
    expect(probes).toContainEqual(
      expect.objectContaining({
        name: 'Policy',
        available: false,
        detail: expect.stringMatching(/thresholds\.low.*In force: version [0-9a-f]{12}\./),
      }),
    )
  })
})

describe('a policy file that is whole', () => {
  it('is named by doctor with its version, and nothing is said of it elsewhere', async () => {
    const { run, cwd } = terminal('forceApproval: true')
    const { out, err } = await run(['doctor', '--json'])
    expect(err).toBe('')
    expect(JSON.parse(out).probes).toContainEqual({
      name: 'Policy',
      available: true,
      detail: expect.stringMatching(new RegExp(`^${join(cwd, 'home', 'policy.yaml')}, version [0-9a-f]{12}$`)),
    })
  })
})

describe('countersign policy', () => {
  it('checks a file, prints the schema, and says what it needs', async () => {
    const { run, cwd } = terminal()
    writeFileSync(join(cwd, 'good.json'), '{ "forceApproval": true }')
    writeFileSync(join(cwd, 'bad.yaml'), 'forceApproval: perhaps')
    expect(await run(['policy', 'check', 'good.json'])).toMatchObject({
      code: exit.success,
      out: expect.stringMatching(/^good\.json: a policy, version [0-9a-f]{64}\n$/),
    })
    expect(await run(['policy', 'check', 'bad.yaml'])).toMatchObject({
      code: exit.failed,
      err: expect.stringContaining('forceApproval'),
    })
    expect(JSON.parse((await run(['policy', 'schema'])).out)).toEqual(policySchema())
    for (const wrong of [[], ['check'], ['check', 'nowhere.yaml'], ['schema', 'x'], ['show']]) {
      expect((await run(['policy', ...wrong])).code).toBe(exit.usage)
    }
  })
})
