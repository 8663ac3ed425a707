import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { VerdictInput } from '../contract/approval.ts'
import {
  anApproval,
  analyst,
  aRun,
  cell,
  codeOf,
  conversation,
  inspection,
  must,
  otherPath,
  path,
  tenant,
} from './testing.ts'

describe('the dialog', () => {
  it('closes after a minute: the request is saved for later, and nothing is approved', async () => {
    const { approval, clock, waiting, entries } = await anApproval()
    const request = await waiting()
    const settled = approval.requests.settled(tenant, request.id)
    clock.advance(60_000)
    expect(must(await settled)).toMatchObject({ state: 'saved', decision: null })
    expect(entries.at(-1)).toMatchObject({ action: 'approval.changed', details: { why: 'time-out' } })
    expect(codeOf(await approval.clear(request.id, aRun()))).toBe('approval.undecided')
  })

  it('closes by an alarm of its own, though nobody looks', async () => {
    const { approval, clock, waiting } = await anApproval()
    await waiting()
    const closed = new Promise(resolve => {
      approval.subscribe(event => event.type === 'request' && resolve(event.request.state))
    })
    clock.advance(60_000)
    expect(await closed).toBe('saved')
  })

  it('can be answered after it closed, from the queue', async () => {
    const { approval, clock, waiting, ana } = await anApproval()
    const request = await waiting()
    clock.advance(120_000)
    const answered = await approval.requests.decide(request.id, await ana(), { kind: 'approve', seen: request.subject })
    expect(must(answered).state).toBe('approved')
  })

  it('stops waiting when told to, and leaves the request in the queue', async () => {
    const { approval, waiting } = await anApproval()
    const request = await waiting()
    const stop = new AbortController()
    const settled = approval.requests.settled(tenant, request.id, stop.signal)
    stop.abort()
    expect(codeOf(await settled)).toBe('request.cancelled')
    expect(must(await approval.requests.get(tenant, request.id)).state).toBe('waiting')
  })

  it('hears at once of what was decided before it listened', async () => {
    const { approval, waiting, ana } = await anApproval()
    const request = await waiting()
    await approval.requests.decide(request.id, await ana(), { kind: 'deny' })
    expect(must(await approval.requests.settled(tenant, request.id)).state).toBe('denied')
  })
})

describe('an answer', () => {
  it('to a request that was withdrawn is refused and recorded', async () => {
    const { approval, waiting, ana, entries } = await anApproval()
    const request = await waiting()
    must(await approval.requests.cancel(tenant, request.id, analyst))
    const late = await approval.requests.decide(request.id, await ana(), { kind: 'approve', seen: request.subject })
    expect(codeOf(late)).toBe('approval.cancelled')
    expect(entries.at(-1)).toMatchObject({
      action: 'approval.rejected',
      actor: analyst,
      details: { attempt: 'approve' },
    })
  })

  it('counts only for the version that was seen', async () => {
    const { approval, waiting, ana, someone } = await anApproval()
    const request = await waiting()
    const seen = request.subject
    must(await approval.requests.decide(request.id, await someone('Rea'), { kind: 'edit', seen, code: 'ls out/' }))
    const late = await approval.requests.decide(request.id, await ana(), { kind: 'approve', seen })
    expect(codeOf(late)).toBe('approval.outdated')
  })

  it('may change what is granted, and then counts for that alone', async () => {
    const { approval, waiting, ana, someone, entries } = await anApproval()
    const request = await waiting()
    const { subject: seen, code } = request
    const network = ['API.example.org', 'https://api.example.org:443']
    const grant: VerdictInput = { kind: 'edit', seen, code, network }
    const granted = must(await approval.requests.decide(request.id, await someone('Rea'), grant))
    expect(granted.placement.network).toEqual(['https://api.example.org:443'])
    expect(granted.subject).not.toBe(seen)
    expect(codeOf(await approval.requests.decide(request.id, await ana(), { kind: 'approve', seen }))).toBe(
      'approval.outdated',
    )
    const verdict = { kind: 'approve', seen: granted.subject } as const
    expect(codeOf(await approval.requests.decide(request.id, await ana(), verdict))).toBe('ok')
    expect(entries.map(entry => entry.details)).toContainEqual(
      expect.objectContaining({ change: 'edited', network: 'https://api.example.org:443' }),
    )
  })

  it.each(['http://10.0.0.5 /', '*', 'https://*.org', 'x y', 'https://a.example.org:0'])(
    'cannot grant "%s"',
    async network => {
      const { approval, waiting, ana } = await anApproval()
      const { id, subject: seen, code } = await waiting()
      const outcome = await approval.requests.decide(id, await ana(), { kind: 'edit', seen, code, network: [network] })
      expect(codeOf(outcome)).toBe('request.invalid')
    },
  )

  it('is refused from someone who only claims to be a reviewer', async () => {
    const { approval, waiting, ana } = await anApproval()
    const request = await waiting()
    const real = await ana()
    const forged = { identity: real.identity } as typeof real
    const verdict = { kind: 'approve', seen: request.subject } as const
    expect(codeOf(await approval.requests.decide(request.id, forged, verdict))).toBe('access.denied')
    approval.identities.logOut(real)
    expect(codeOf(await approval.requests.decide(request.id, real, verdict))).toBe('access.denied')
  })

  it('is refused when it is none', async () => {
    const { approval, waiting, ana } = await anApproval()
    const request = await waiting()
    const answers = [
      {},
      { kind: 'yes' },
      { kind: 'approve' },
      { kind: 'approve', seen: 'x' },
      { kind: 'edit', seen: request.subject, code: '' },
    ]
    for (const answer of answers) {
      const outcome = await approval.requests.decide(request.id, await ana(), answer as VerdictInput)
      expect(codeOf(outcome)).toBe('request.invalid')
    }
    expect(must(await approval.requests.get(tenant, request.id)).state).toBe('waiting')
  })

  it('from another tenant finds no request', async () => {
    const { approval, waiting, parts } = await anApproval()
    const request = await waiting()
    const elsewhere = parts.ids.make((await import('../contract/ids.ts')).TenantId)
    const stranger = must(await approval.identities.create(elsewhere, { name: 'Sam' }, null))
    const sam = must(await approval.identities.logIn(stranger.id))
    const outcome = await approval.requests.decide(request.id, sam, { kind: 'approve', seen: request.subject })
    expect(codeOf(outcome)).toBe('not-found')
    expect(codeOf(await approval.requests.get(elsewhere, request.id))).toBe('not-found')
  })

  it('is given once, however the answers of two reviewers fall', async () => {
    const kit = await anApproval()
    const reviewers = [await kit.someone('Rea'), await kit.someone('Ron')] as const
    const answers = fc.array(
      fc.record({
        reviewer: fc.constantFrom(0 as const, 1 as const),
        kind: fc.constantFrom('approve' as const, 'deny' as const, 'later' as const),
        wait: fc.boolean(),
      }),
      { minLength: 2, maxLength: 6 },
    )
    let count = 0
    await fc.assert(
      fc.asyncProperty(answers, async given => {
        const request = await kit.waiting(aRun({ code: `rm -r ${count++}/` }))
        const before = kit.entries.length
        const outcomes: Promise<unknown>[] = []
        for (const { reviewer, kind, wait } of given) {
          const verdict = kind === 'approve' ? { kind, seen: request.subject } : { kind }
          const answer = kit.approval.requests.decide(request.id, reviewers[reviewer], verdict)
          outcomes.push(answer.then(outcome => outcome.ok && kind !== 'later'))
          if (wait) await answer
        }
        const decided = (await Promise.all(outcomes)).filter(Boolean).length
        const firm = given.filter(answer => answer.kind !== 'later').length
        expect(decided).toBe(Math.min(firm, 1))
        const written = kit.entries.slice(before).filter(entry => entry.action === 'approval.decided')
        expect(written).toHaveLength(decided)
      }),
      { numRuns: 40 },
    )
  })
})

describe('four eyes', () => {
  const policy = { fourEyes: { from: 'high' as const } }

  it('keep an author from approving, and let another reviewer', async () => {
    const { approval, waiting, ana, someone, entries } = await anApproval({ policy })
    const request = await waiting()
    expect(request.needs).toBe('four-eyes')
    const verdict = { kind: 'approve', seen: request.subject } as const
    expect(codeOf(await approval.requests.decide(request.id, await ana(), verdict))).toBe('approval.four-eyes')
    expect(entries.at(-1)).toMatchObject({ action: 'approval.rejected', actor: analyst })
    expect(codeOf(await approval.requests.decide(request.id, await someone('Rea'), verdict))).toBe('ok')
  })

  it('keep what was written when it was saved for later', async () => {
    const { approval, waiting, ana } = await anApproval({ policy })
    const request = await waiting()
    const later = { kind: 'later', comment: ' ask Rea first ' } as const
    expect(codeOf(await approval.requests.decide(request.id, await ana(), later))).toBe('ok')
    const saved = await approval.requests.get(request.tenant, request.id)
    expect(saved.ok && saved.value.comments.map(each => each.text)).toEqual(['ask Rea first'])
  })

  it('need a reason in words where the policy wants one, and are not taken without', async () => {
    const { approval, waiting, ana, entries } = await anApproval({ policy: { sayWhy: { deny: true, approve: true } } })
    const request = await waiting()
    const decide = async (verdict: VerdictInput) => approval.requests.decide(request.id, await ana(), verdict)
    for (const comment of ['', '  \n ', '…', '\u200b']) {
      expect(codeOf(await decide({ kind: 'deny', comment }))).toBe('approval.unsaid')
      expect(codeOf(await decide({ kind: 'approve', seen: request.subject, comment }))).toBe('approval.unsaid')
    }
    expect(must(await approval.requests.get(tenant, request.id))).toMatchObject({ state: 'waiting', decision: null })
    expect(entries.some(entry => entry.action === 'approval.decided')).toBe(false)
    expect(must(await decide({ kind: 'approve', seen: request.subject, comment: 'figures checked' })).state).toBe(
      'approved',
    )
  })

  it('need no reason for what the policy does not ask one for', async () => {
    const { approval, waiting, ana } = await anApproval({ policy: { sayWhy: { approve: true } } })
    const request = await waiting()
    expect(must(await approval.requests.decide(request.id, await ana(), { kind: 'deny' })).state).toBe('denied')
  })

  it('let an author deny or save what they wrote', async () => {
    const { approval, waiting, ana } = await anApproval({ policy })
    const request = await waiting()
    expect(codeOf(await approval.requests.decide(request.id, await ana(), { kind: 'later' }))).toBe('ok')
    expect(codeOf(await approval.requests.decide(request.id, await ana(), { kind: 'deny' }))).toBe('ok')
  })

  it('count whoever edited as an author, and the first author still', async () => {
    const { approval, waiting, ana, someone } = await anApproval({ policy })
    const request = await waiting()
    const rea = await someone('Rea')
    const edit = { kind: 'edit', seen: request.subject, code: 'rm -r other/' } as const
    const edited = must(await approval.requests.decide(request.id, rea, edit))
    const verdict = { kind: 'approve', seen: edited.subject } as const
    expect(codeOf(await approval.requests.decide(request.id, rea, verdict))).toBe('approval.four-eyes')
    expect(codeOf(await approval.requests.decide(request.id, await ana(), verdict))).toBe('approval.four-eyes')
    expect(codeOf(await approval.requests.decide(request.id, await someone('Ron'), verdict))).toBe('ok')
  })

  it('are those of the reviewers whom the policy names', async () => {
    const kit = await anApproval()
    const [rea, ron] = [await kit.someone('Rea'), await kit.someone('Ron')]
    const { version } = await kit.approval.policy.current()
    const named = { fourEyes: { from: 'high' as const, reviewers: [ron.identity.id] } }
    must(await kit.approval.policy.save(named, analyst, version))
    const request = await kit.waiting()
    const verdict = { kind: 'approve', seen: request.subject } as const
    expect(codeOf(await kit.approval.requests.decide(request.id, rea, verdict))).toBe('approval.four-eyes')
    expect(codeOf(await kit.approval.requests.decide(request.id, ron, verdict))).toBe('ok')
  })
})

describe('an edit by a reviewer', () => {
  it('is inspected anew and approved as what it then is', async () => {
    const inspect = (code: string) => inspection({ risk: code.includes('rm') ? 'critical' : 'low' })
    const kit = await anApproval({ inspect })
    const request = await kit.waiting()
    const rea = await kit.someone('Rea')
    const edit = { kind: 'edit', seen: request.subject, code: 'ls out/' } as const
    const edited = must(await kit.approval.requests.decide(request.id, rea, edit))
    expect(edited).toMatchObject({ state: 'waiting', revision: 2, code: 'ls out/', risk: 'low', decision: null })
    expect(edited.revisions.map(({ author, code }) => [author.name, code])).toEqual([
      ['Ana', 'rm -r out/'],
      ['Rea', 'ls out/'],
    ])
    must(await kit.approval.requests.decide(request.id, rea, { kind: 'approve', seen: edited.subject }))
    const first = await kit.approval.clear(request.id, aRun())
    expect(!first.ok && first.problem.message).toContain('the code')
    const authors = edited.authors.map(author => author.id)
    const run = aRun({ code: 'ls out/', authors, inspection: edited.inspection })
    expect(codeOf(await kit.approval.clear(request.id, run))).toBe('ok')
  })

  it('is refused when the policy blocks what it says', async () => {
    const inspect = () => inspection({ imports: ['socket'] })
    const kit = await anApproval({ policy: { blocked: { imports: ['socket'] } }, inspect })
    const request = await kit.waiting()
    const edit = { kind: 'edit', seen: request.subject, code: 'import socket' } as const
    expect(codeOf(await kit.approval.requests.decide(request.id, await kit.ana(), edit))).toBe('policy.blocked')
    expect(must(await kit.approval.requests.get(tenant, request.id)).revision).toBe(1)
  })
})

describe('editing the cell', () => {
  const says = (code: string, language = 'bash') => ({
    ...{ tenant, path, cells: [cell], by: analyst },
    now: async () => ({ code, language }),
  })

  it('voids its approval, says so, and still knows what was last approved', async () => {
    const { approval, waiting, ana, entries } = await anApproval()
    const request = await waiting()
    must(await approval.requests.decide(request.id, await ana(), { kind: 'approve', seen: request.subject }))
    const voided = await approval.requests.cellsChanged(says('rm -r out2/'))
    expect(voided.map(each => [each.id, each.state])).toEqual([[request.id, 'voided']])
    expect(voided[0]?.note).toContain('edited after it was approved')
    expect(entries.at(-1)).toMatchObject({ action: 'approval.changed', details: { change: 'voided' } })
    expect(codeOf(await approval.clear(request.id, aRun()))).toBe('approval.voided')
    const last = await approval.requests.lastApproved({ tenant, conversation, path, cell })
    expect(last).toMatchObject({ code: 'rm -r out/', reviewer: { name: 'Ana' } })
  })

  it('leaves alone what says the same, and other paths', async () => {
    const { approval, waiting } = await anApproval()
    const request = await waiting()
    expect(await approval.requests.cellsChanged(says('rm -r out/'))).toEqual([])
    expect(await approval.requests.cellsChanged({ ...says('ls'), path: otherPath })).toEqual([])
    expect(await approval.requests.cellsChanged({ ...says('ls'), cells: [] })).toEqual([])
    expect(must(await approval.requests.get(tenant, request.id)).state).toBe('waiting')
  })

  it('leaves alone what a reviewer proposes while the cell still says what was asked', async () => {
    const { approval, waiting, ana } = await anApproval()
    const request = await waiting()
    const edit = { kind: 'edit', seen: request.subject, code: 'rm -r old/' } as const
    must(await approval.requests.decide(request.id, await ana(), edit))
    expect(await approval.requests.cellsChanged(says('rm -r out/'))).toEqual([])
    expect(await approval.requests.cellsChanged(says('rm -r old/'))).toEqual([])
    expect(await approval.requests.cellsChanged(says('rm -r new/'))).toHaveLength(1)
  })

  it('voids it also by another language, by removing the cell and by ending the path', async () => {
    const { approval, waiting } = await anApproval()
    await waiting()
    expect(await approval.requests.cellsChanged({ ...says('rm -r out/', 'python'), cells: null })).toMatchObject([
      { state: 'voided', note: 'The language of the cell was changed while its approval was asked for.' },
    ])
    await waiting()
    expect(await approval.requests.cellsChanged({ ...says(''), now: async () => null })).toMatchObject([
      { note: 'The cell was removed while its approval was asked for.' },
    ])
    await waiting()
    const ended = await approval.requests.pathEnded({ tenant, path, how: 'was archived', by: analyst })
    expect(ended).toMatchObject([{ state: 'voided', note: 'The path of this code was archived.' }])
  })
})

describe('what was last approved', () => {
  it('for no cell is that of the path, or of any path where all runs are of one file', async () => {
    const { approval, waiting, ana } = await anApproval()
    const request = await waiting(aRun({ cell: null }))
    must(await approval.requests.decide(request.id, await ana(), { kind: 'approve', seen: request.subject }))
    const next = { tenant, conversation, path: otherPath, cell: null }
    expect(await approval.requests.lastApproved(next)).toBeNull()
    expect(await approval.requests.lastApproved({ ...next, anyPath: true })).toMatchObject({ code: 'rm -r out/' })
  })

  it('is that of this path, else of another path, and never what was denied', async () => {
    const { approval, waiting, ana } = await anApproval()
    const reviewer = await ana()
    const place = { tenant, conversation, path, cell }
    expect(await approval.requests.lastApproved(place)).toBeNull()
    const there = await waiting(aRun({ path: otherPath, code: 'rm there' }))
    must(await approval.requests.decide(there.id, reviewer, { kind: 'approve', seen: there.subject }))
    expect((await approval.requests.lastApproved(place))?.code).toBe('rm there')
    const here = await waiting(aRun({ code: 'rm here' }))
    must(await approval.requests.decide(here.id, reviewer, { kind: 'approve', seen: here.subject }))
    const denied = await waiting(aRun({ code: 'rm no' }))
    must(await approval.requests.decide(denied.id, reviewer, { kind: 'deny' }))
    expect((await approval.requests.lastApproved(place))?.code).toBe('rm here')
  })
})

describe('a change of policy while a request waits', () => {
  it('asks anew: what was seen under the old policy cannot be approved under the new one', async () => {
    const kit = await anApproval()
    const request = await kit.waiting()
    const { version } = await kit.approval.policy.current()
    must(await kit.approval.policy.save({ thresholds: { high: 'four-eyes' } }, analyst, version))
    const rea = await kit.someone('Rea')
    const stale = { kind: 'approve', seen: request.subject } as const
    expect(codeOf(await kit.approval.requests.decide(request.id, rea, stale))).toBe('approval.outdated')
    const now = must(await kit.approval.requests.get(tenant, request.id))
    expect(now).toMatchObject({ state: 'waiting', needs: 'four-eyes', revision: 1 })
    expect(codeOf(await kit.approval.requests.decide(request.id, rea, { kind: 'approve', seen: now.subject }))).toBe(
      'ok',
    )
    expect(codeOf(await kit.approval.clear(request.id, aRun()))).toBe('ok')
  })

  it('voids what the new policy blocks', async () => {
    const kit = await anApproval()
    const request = await kit.waiting()
    const { version } = await kit.approval.policy.current()
    must(await kit.approval.policy.save({ thresholds: { high: 'block' } }, analyst, version))
    expect(must(await kit.approval.requests.get(tenant, request.id)).state).toBe('voided')
  })
})

describe('the queue', () => {
  it('filters, pages and counts, newest first', async () => {
    const { approval, waiting, ana } = await anApproval()
    const critical = inspection({ risk: 'critical' })
    const one = await waiting(aRun({ code: '# first\nrm -r 100%_done/' }))
    const two = await waiting(aRun({ code: 'print(1)', language: 'python', inspection: critical }))
    const three = await waiting(aRun({ path: otherPath, code: 'rm -r three/' }))
    must(await approval.requests.comment(one.id, await ana(), ' why all? '))
    must(await approval.requests.decide(three.id, await ana(), { kind: 'deny', comment: 'no' }))
    const ids = async (filter: object) => (await approval.requests.list({ tenant, ...filter })).map(each => each.id)
    expect(await ids({})).toEqual([three.id, two.id, one.id])
    expect(await ids({ states: ['waiting', 'saved'] })).toEqual([two.id, one.id])
    expect(await ids({ risks: ['critical'] })).toEqual([two.id])
    expect(await ids({ languages: ['bash'], path })).toEqual([one.id])
    expect(await ids({ text: 'RM -R 100%_' })).toEqual([one.id])
    expect(await ids({ text: '1000_' })).toEqual([])
    expect(await ids({ requester: analyst, limit: 1 })).toEqual([three.id])
    expect(await ids({ exceptRequester: analyst })).toEqual([])
    expect(await ids({ limit: 1 })).toEqual([three.id])
    expect(await ids({ limit: 1, before: three.id })).toEqual([two.id])
    const [line] = (await approval.requests.list({ tenant, text: '100%' })) ?? []
    expect(line).toMatchObject({ title: 'rm -r 100%_done/', findings: 1, comments: 1, requester: { name: 'Ana' } })
    expect(line).not.toHaveProperty('code')
    const [denied] = await approval.requests.list({ tenant, states: ['denied'] })
    expect(denied?.reviewer?.name).toBe('Ana')
  })

  it('lets only the requester withdraw', async () => {
    const { approval, waiting, someone } = await anApproval()
    const request = await waiting()
    const { identity } = await someone('Rea')
    expect(codeOf(await approval.requests.cancel(tenant, request.id, identity.id))).toBe('access.denied')
    expect(must(await approval.requests.cancel(tenant, request.id, analyst)).state).toBe('cancelled')
  })

  it('shows comments in order, with their authors', async () => {
    const { approval, waiting, ana, someone } = await anApproval()
    const request = await waiting()
    must(await approval.requests.comment(request.id, await someone('Rea'), 'why?'))
    const after = must(await approval.requests.comment(request.id, await ana(), 'to clean up'))
    expect(after.comments.map(({ author, text }) => `${author.name}: ${text}`)).toEqual([
      'Rea: why?',
      'Ana: to clean up',
    ])
    expect(codeOf(await approval.requests.comment(request.id, await ana(), '  '))).toBe('request.invalid')
  })
})
