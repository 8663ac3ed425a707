import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { anApproval, analyst, aRun, inspection, jail, must, tenant, violation } from '../../approval/testing.ts'
import type { ApprovalRequest } from '../../contract/approval.ts'
import type { Inspection } from '../../contract/inspection.ts'
import type { PolicyInput } from '../../contract/policy.ts'
import { visible } from '../../contract/visible.ts'
import type { PlacedRun } from '../../runs/run.ts'
import { askInTerminal } from './approve-dialog.ts'
import { changedLines, describeRequest, describeWhole } from './approve-view.ts'
import type { Io } from './command.ts'

interface Terminal {
  readonly kit: Awaited<ReturnType<typeof anApproval>>
  readonly stdin: PassThrough
  readonly stop: AbortController
}

/** A person at a terminal who answers each question when it is asked, after reading for a second. */
async function atTheTerminal(
  answers: readonly (string | ((at: Terminal) => unknown))[],
  options: {
    policy?: PolicyInput
    run?: Partial<PlacedRun>
    edited?: string
    inspected?: Partial<Inspection>
    readMs?: number
    rows?: number
  } = {},
) {
  const kit = await anApproval({
    ...(options.policy ? { policy: options.policy } : {}),
    inspect: () => inspection({ risk: 'medium', ...options.inspected }),
  })
  const request = await kit.waiting(aRun(options.run))
  const stdin = new PassThrough()
  const stop = new AbortController()
  const queue = [...answers]
  let shown = ''
  const stderr: Io['stderr'] = new Writable({
    write(chunk, _encoding, done) {
      shown += chunk
      if (/: $/.test(String(chunk))) {
        kit.clock.advance(options.readMs ?? 1000)
        const next = queue.shift()
        if (typeof next === 'string') stdin.write(`${next}\n`)
        else if (next) next({ kit, stdin, stop })
      }
      done()
    },
  })
  if (options.rows) stderr.rows = options.rows
  const result = await askInTerminal({
    request,
    requests: kit.approval.requests,
    reviewer: await kit.ana(),
    io: { stdin, stdout: new PassThrough(), stderr, env: {}, cwd: '/', signal: stop.signal },
    clock: kit.clock,
    edit: async () => options.edited ?? null,
  })
  const after = must(await kit.approval.requests.get(tenant, request.id))
  return { result, shown, after }
}

describe('the dialog in the terminal', () => {
  it('approves on y and says so only when the engine has', async () => {
    const { result, after, shown } = await atTheTerminal(['y'])
    expect(result).toBeNull()
    expect(after).toMatchObject({ state: 'approved', reviewer: { name: 'Ana' } })
    expect(shown).toContain('HIGH RISK')
    expect(shown).toContain('rm -r out/')
  })

  it.each([['n'], ['no'], ['']])('denies on "%s": Enter alone never approves', async answer => {
    const { result, after } = await atTheTerminal([answer])
    expect(result?.code).toBe('approval.denied')
    expect(after.state).toBe('denied')
  })

  it('saves for later on s', async () => {
    const { result, after } = await atTheTerminal(['s'])
    expect(result?.code).toBe('approval.undecided')
    expect(after.state).toBe('saved')
  })

  it('does not take anything else for an answer', async () => {
    const { after, shown } = await atTheTerminal(['yy', 'approve', 'ok', 'n'])
    expect(shown.match(/Answer y, n, v, e or s/g)).toHaveLength(3)
    expect(after.state).toBe('denied')
  })

  it('does not take for an answer what was typed before the question could be read', async () => {
    const { after, shown } = await atTheTerminal(['y', 'y', 'y', 'y', 'n'], { readMs: 100 })
    expect(shown.match(/too soon/g)).toHaveLength(4)
    expect(after.state).toBe('denied')
  })

  it('wants a word for what is critical', async () => {
    const run = { inspection: inspection({ risk: 'critical', violations: [violation('eval', 'critical')] }) }
    const careless = await atTheTerminal(['y', 'y', 's'], { run })
    expect(careless.after.state).toBe('saved')
    expect(careless.shown).toContain('Type approve')
    const careful = await atTheTerminal(['y', 'approve'], { run })
    expect(careful.after.state).toBe('approved')
  })

  it('wants a word for code that was not shown whole, until v has shown it', async () => {
    const run = { code: Array.from({ length: 60 }, (_, i) => `echo ${i}`).join('\n') }
    const unseen = await atTheTerminal(['y', '', 's'], { run })
    expect(unseen.shown).toContain('20 more lines')
    expect(unseen.shown).not.toContain('echo 59')
    expect(unseen.after.state).toBe('saved')
    const seen = await atTheTerminal(['v', 'y'], { run })
    expect(seen.shown).toContain('echo 59')
    expect(seen.after.state).toBe('approved')
  })

  it('pages through all of it, and takes for seen only what was shown to its end', async () => {
    const run = { code: Array.from({ length: 60 }, (_, i) => `echo ${i}`).join('\n') }
    const left = await atTheTerminal(['v', 'q', 'y', '', 's'], { run, rows: 40 })
    expect(left.shown).toContain('more lines. Enter goes on')
    expect(left.shown).not.toContain('echo 59')
    expect(left.after.state).toBe('saved')
    const through = await atTheTerminal(['v', '', '', 'y'], { run, rows: 40 })
    expect(through.shown).toContain('echo 59')
    expect(through.after.state).toBe('approved')
  })

  it('does not call it a reason for asking that low risk goes ahead', async () => {
    const { shown, after } = await atTheTerminal(['e', 'y'], { edited: 'ls', inspected: { risk: 'low' } })
    expect(shown).toContain('LOW RISK')
    expect(shown).not.toContain('goes ahead')
    expect(shown).toContain('It was asked about before it was changed.')
    expect(after.state).toBe('approved')
  })

  it('lets the code be edited, shows what it then is, and approves that', async () => {
    const { after, shown } = await atTheTerminal(['e', 'y'], { edited: 'ls out/' })
    expect(after).toMatchObject({ state: 'approved', revision: 2, code: 'ls out/' })
    expect(shown).toContain('MEDIUM RISK')
    expect((await atTheTerminal(['e', 's'])).shown).toContain('Nothing was changed')
  })

  it('asks why where the policy wants a reason, and takes no answer without one', async () => {
    const policy = { sayWhy: { deny: true, approve: true } }
    const said = await atTheTerminal(['y', 'figures checked'], { policy })
    expect(said.after).toMatchObject({ state: 'approved', decision: { comment: 'figures checked' } })
    const denied = await atTheTerminal(['n', 'wrong folder'], { policy })
    expect(denied.after).toMatchObject({ state: 'denied', decision: { comment: 'wrong folder' } })
    const silent = await atTheTerminal(['y', '', 's'], { policy })
    expect(silent.after).toMatchObject({ state: 'saved', decision: null })
  })

  it('tells an author that four eyes are wanted, and approves nothing', async () => {
    const { after, shown } = await atTheTerminal(['y', 's'], { policy: { fourEyes: { from: 'low' } } })
    expect(shown).toContain('four eyes')
    expect(after).toMatchObject({ state: 'saved', decision: null })
  })

  it('closes by itself at the time-out', async () => {
    const { result, after } = await atTheTerminal([() => undefined], { readMs: 60_000 })
    expect(result?.code).toBe('approval.undecided')
    expect(after).toMatchObject({ state: 'saved', decision: null })
  })

  it('saves for later when the input ends, and withdraws when it is stopped', async () => {
    const ended = await atTheTerminal([({ stdin }) => stdin.end()])
    expect(ended.after).toMatchObject({ state: 'saved', decision: null })
    const stopped = await atTheTerminal([({ stop }) => stop.abort()])
    expect(stopped.result?.code).toBe('request.cancelled')
    expect(stopped.after.state).toBe('cancelled')
  })

  it('shows the request anew when it changed under the answer, and asks again', async () => {
    const changesPolicy = async ({ kit, stdin }: Terminal) => {
      const { version } = await kit.approval.policy.current()
      must(await kit.approval.policy.save({ dialogSeconds: 90 }, analyst, version))
      stdin.write('y\n')
    }
    const { after, shown } = await atTheTerminal([changesPolicy, 'y'])
    expect(shown).toContain('The request changed after you opened it')
    expect(shown.match(/Approval needed/g)).toHaveLength(2)
    expect(after.state).toBe('approved')
  })

  it('ends when somebody else decides', async () => {
    const other = async ({ kit }: Terminal) => {
      const [line] = await kit.approval.requests.list({ tenant })
      if (line) must(await kit.approval.requests.decide(line.id, await kit.someone('Rea'), { kind: 'deny' }))
    }
    const { result, after } = await atTheTerminal([other])
    expect(result?.code).toBe('approval.denied')
    expect(after.reviewer?.name).toBe('Rea')
  })
})

describe('what the dialog shows', () => {
  const request = async ({
    network = [],
    ...change
  }: Partial<PlacedRun> & { network?: string[] }): Promise<ApprovalRequest> => {
    const kit = await anApproval()
    return kit.waiting(
      aRun({
        placement: { ...jail, mounts: [{ source: '/data', target: '/in', writable: true }], network },
        ...change,
      }),
    )
  }

  it('names everything that would be approved', async () => {
    const text = describeRequest(
      await request({
        args: ['--all'],
        env: { REGION: 'IE' },
        network: ['https://example.org:443'],
        inspection: inspection({
          risk: 'high',
          violations: [violation('deletion', 'high', 1)],
          impact: {
            ...inspection().impact,
            filesDeleted: [{ target: 'out/', expression: 'out/', lines: [1] }],
            hosts: [{ target: null, expression: 'host + ".example"', lines: [2, 3] }],
            reversible: 'no',
            blastRadius: 'network',
          },
        }),
      }),
      null,
    )
    for (const part of [
      'bash in the local sandbox (jail)',
      'may read from and send to example.org, port 443, encrypted (https)',
      'arguments: "--all"',
      'REGION=IE',
      'sees /data as /in (can write)',
      'The code deletes files or folders. (line 1)',
      'line 1: HIGH deletion: a deletion',
      'deletes out/ (line 1)',
      'talks to something unknown (host + ".example") (line 2, 3)',
      'CANNOT be undone',
      '▶ 1 │ rm -r out/',
    ]) {
      expect(text).toContain(part)
    }
  })

  it('counts what it leaves out, and shows it whole on demand', async () => {
    const targets = Array.from({ length: 15 }, (_, i) => ({ target: `f${i}.csv`, expression: '', lines: [1] }))
    const asked = await request({
      code: Array.from({ length: 80 }, (_, i) => `rm new${i}`).join('\n'),
      inspection: inspection({
        risk: 'high',
        violations: Array.from({ length: 24 }, (_, i) => ({ ...violation('deletion'), message: `finding ${i}` })),
        impact: { ...inspection().impact, filesDeleted: targets },
      }),
    })
    const last = { request: asked.id, code: 'ls', reviewer: asked.requester, decidedAt: 0 }
    const [text, whole] = [describeRequest(asked, last), describeWhole(asked, last)]
    for (const count of ['4 more (', '3 more that it deletes (', '21 more changed lines (', '40 more lines (']) {
      expect(text).toContain(`… and ${count}v shows all)`)
    }
    for (const late of ['finding 23', 'deletes f14.csv', '+ rm new79', '80 │ rm new79']) {
      expect(text).not.toContain(late)
      expect(whole).toContain(late)
    }
    expect(whole).not.toContain('v shows all')
  })

  it('names the image of the sandbox', async () => {
    const kit = await anApproval()
    const asked = await kit.waiting(aRun({ placement: { ...jail, image: 'sha256:abc' } }))
    expect(describeRequest(asked, null)).toContain('in the local sandbox (jail, image sha256:abc)')
  })

  it('marks the line that the guard means, also after a lone carriage return', async () => {
    const marked = inspection({ risk: 'high', violations: [violation('deletion', 'high', 2)] })
    const text = describeRequest(await request({ code: 'x = 1\rrm -r out/\n', inspection: marked }), null)
    expect(text).toContain('    1 │ x = 1␍\n  ▶ 2 │ rm -r out/')
  })

  it('lets no escape, turn or invisible character of the code reach the terminal', async () => {
    const hostile = 'echo \x1b[2K\x1b[1A ok\r\u202e gnp.exe\u2066\u200b\u{e0041} p\u0430ypal\t\t#\u2028x'
    const text = describeRequest(await request({ code: hostile, env: { X: '\x1b]0;t\x07' } }), null)
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028\u202e\u2066]/)
    for (const sign of ['␛[2K', '␍', '⟨U+202E⟩', '⟨U+200B⟩', '⟨U+E0041⟩', 'p⟨U+0430⟩ypal', '⇥'])
      expect(text).toContain(sign)
  })

  it('says what changed since the last approval', async () => {
    const last = {
      request: (await request({})).id,
      code: 'a\nrm -r old/\nz\n',
      reviewer: { id: aRun().requester, name: 'Rea' },
      decidedAt: 0,
    }
    const text = describeRequest(await request({ code: 'a\nrm -r new/\nz\n' }), last)
    expect(text).toContain('Changes since Rea approved it on 1970-01-01 00:00 UTC\n  - rm -r old/\n  + rm -r new/')
    expect(changedLines(['a'], ['a', 'a'])).toEqual(['  + a'])
  })
})

describe('visible text', () => {
  it('leaves ordinary text of any script alone', () => {
    const plain = 'x = "naïve 日本語 Привет Ελλάδα 🙂"\n  y()'
    expect(visible(plain)).toBe(plain)
  })

  it('is quick on one long word', () => {
    const start = process.threadCpuUsage()
    visible('a'.repeat(100_000))
    expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(500)
  })
})
