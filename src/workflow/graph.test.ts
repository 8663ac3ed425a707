import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkGraph, parseGraph } from './graph.ts'

const graphOf = (text: string) => {
  const parsed = parseGraph(text)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return parsed.graph
}
const faultsOf = (text: string) => {
  const parsed = parseGraph(text)
  return 'faults' in parsed ? parsed.faults : []
}

const five = `
name: Five tasks
tasks:
  load:
    type: code_execution
    language: python
    code: "print(1)"
    outputs: { total: number }
  left:
    type: code_execution
    language: python
    code: "print(2)"
    inputs: { x: { from: load.total, type: number } }
    outputs: { y: number }
  right:
    type: analysis
    analysis: ie-paye
    inputs: { year: { value: 2025 } }
    needs: [load]
  agree:
    type: approval
    question: Go on?
    inputs: { y: { from: left.y }, net: { from: right.net_income } }
  last:
    type: mcp_tool
    server: ledger
    tool: post
    needs: [agree]
`

describe('a graph', () => {
  it('is cut into layers whose tasks do not wait for each other', () => {
    expect(graphOf(five).layers).toEqual([['load'], ['left', 'right'], ['agree'], ['last']])
  })

  it.each([
    [
      'a cycle',
      'a: { type: approval, question: q, needs: [b] }\n  b: { type: approval, question: q, needs: [a] }',
      3,
      'a → b → a',
    ],
    ['a task that waits for itself', 'a: { type: approval, question: q, needs: [a] }', 3, 'a → a'],
    ['an unknown task', 'a: { type: approval, question: q, needs: [nobody] }', 3, 'nobody, which is no task'],
    [
      'a task by another spelling',
      'Abc: { type: approval, question: q }\n  b: { type: approval, question: q, needs: [abc] }',
      4,
      'called Abc',
    ],
    [
      'an unknown output',
      'a: { type: approval, question: q }\n  b:\n    type: approval\n    question: q\n    inputs:\n      x: { from: a.nothing }',
      8,
      'approved, comment',
    ],
    [
      'a type that does not fit',
      'a: { type: approval, question: q }\n  b:\n    type: approval\n    question: q\n    inputs:\n      x: { from: a.approved, type: number }',
      8,
      'is boolean',
    ],
    ['an unknown field', 'a: { type: approval, question: q, colour: red }', 3, 'colour'],
    [
      'a choice without candidates',
      'a: { type: code_execution, language: python, code: x, choose: reviewer }',
      3,
      'go together',
    ],
    [
      'a choice by something that is no number',
      'a: { type: code_execution, language: python, code: x, candidates: 2, choose: { smallest: t }, outputs: { t: text } }',
      3,
      'must give a number',
    ],
    [
      'a tool that is called from the cloud',
      'a:\n    type: mcp_tool\n    server: ledger\n    tool: post\n    placement: { kind: e2b }',
      7,
      'is called from this machine',
    ],
    [
      'an expression over an output that it has not',
      'a:\n    type: code_execution\n    language: python\n    code: x\n    candidates: 2\n    choose: { where: los < 100 }\n    outputs: { loss: number }',
      8,
      'los is no output of it',
    ],
    ['a placement that says nothing', 'a: { type: analysis, analysis: hhi, placement: {} }', 3, 'Say an isolation'],
    [
      'a placement weaker than any policy allows',
      'a: { type: analysis, analysis: hhi, placement: { isolation: unconfined } }',
      3,
      'isolation',
    ],
    [
      'a placement for a question',
      'a: { type: approval, question: q, placement: { kind: local } }',
      3,
      'placement means nothing for a task of type approval',
    ],
    [
      'a question that is to be tried again',
      'a:\n    type: approval\n    question: q\n    retry: { attempts: 3 }',
      6,
      'retry means nothing for a task of type approval',
    ],
    [
      'a question with a time limit',
      'a:\n    type: approval\n    question: q\n    timeoutSeconds: 60',
      6,
      'timeoutSeconds means nothing for a task of type approval',
    ],
    [
      'two kinds of sandbox in one that is shared',
      'a: { type: code_execution, language: python, code: x, sandbox: shared, placement: { kind: docker } }\n  b: { type: code_execution, language: python, code: x, sandbox: shared, placement: { kind: local } }',
      4,
      'ask for docker and for local',
    ],
    ['a name that is no name', '"a b": { type: approval, question: q }', 3, 'name is a letter'],
    ['a key twice', 'a: { type: approval, question: q }\n  a: { type: approval, question: q }', 4, 'stands twice'],
  ])('with %s is refused on its line', (_what, tasks, line, words) => {
    const faults = faultsOf(`name: x\ntasks:\n  ${tasks}\n`)
    expect(faults[0]).toMatchObject({ line })
    expect(faults[0]?.message).toContain(words)
  })

  it('tells everything that is wrong at once', () => {
    const faults = faultsOf(
      'name: x\ntasks:\n  a: { type: approval, question: q, needs: [b] }\n  c: { type: approval, question: q, needs: [d] }\n',
    )
    expect(faults.map(({ line }) => line)).toEqual([3, 4])
  })

  it.each([
    ['version: 7\nname: x\ntasks: { a: { type: approval, question: q } }', 1, 'version is no key here.'],
    [
      'name: x\ntasks:\n  a:\n    type: code_execution\n    code: "1"',
      3,
      'tasks.a.language: It is missing. Write python,',
    ],
    [
      'name: x\ntasks:\n  a:\n    type: code\n    code: "1"',
      4,
      'tasks.a.type: "code" is not possible. Write code_execution,',
    ],
    ['name: x\ntasks:\n  a:\n    type: approval', 3, 'tasks.a.question: It is missing.'],
    [
      'name: x\ntasks:\n  a:\n    type: analysis\n    analysis: hhi\n    timeout: 3',
      6,
      'tasks.a: timeout is no key here: did you mean timeoutSeconds?',
    ],
    ['name: x\ntasks:\n  a:\n    type: approval\n    question: q\n    need: [a]', 6, 'did you mean needs?'],
    [
      'name: x\ntasks:\n  a:\n    type: analysis\n    analysis: hhi\n    timeoutSeconds: soon',
      6,
      'It is to be a number.',
    ],
    [
      'name: x\ntasks:\n  a:\n    type: approval\n    question: q\n    inputs:\n      y: 5',
      7,
      'Write { value: … }, or',
    ],
    ['name: x\ntasks: [', 2, /end with a \]\.$/],
  ])('says in its author’s words what is wrong with %j', (text, line, words) => {
    expect(faultsOf(text)).toContainEqual({
      line,
      message: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
    })
  })

  it.each(['', '[]', '1', 'name: x', 'name: x\ntasks: {}', '{"name": 1}', '\t', 'a: &a [*a]', 'name: [', '%'])(
    'is not %j',
    text => {
      expect(faultsOf(text).length).toBeGreaterThan(0)
    },
  )

  it('gives tasks that share a sandbox the strongest of what they ask for', () => {
    const shared = (more = '') => `{ type: code_execution, language: python, code: "1", sandbox: shared${more} }`
    const { placements } = graphOf(`name: x
tasks:
  a: ${shared()}
  b: ${shared(', placement: { isolation: jail, kind: docker }')}
  c: ${shared(', placement: { isolation: container }')}
  own: { type: mcp_tool, server: s, tool: t, placement: { isolation: microvm } }
  free: { type: analysis, analysis: hhi }
`)
    const wanted = { isolation: 'container', kind: 'docker' }
    expect(Object.fromEntries(placements)).toEqual({
      a: { wanted, line: 5 },
      b: { wanted, line: 4 },
      c: { wanted, line: 5 },
      own: { wanted: { isolation: 'microvm' }, line: 6 },
      free: { wanted: undefined, line: 7 },
    })
  })

  it('does not unfold a bomb of aliases', () => {
    const rows = Array.from(
      { length: 12 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array(10).fill(`*l${at}`).join(', ')}]`,
    )
    expect(faultsOf(`l0: &l0 [x]\n${rows.join('\n')}\n`)).toEqual([
      expect.objectContaining({ message: expect.stringContaining('aliases') }),
    ])
  })

  it('tells a key that stands twice among thousands, and reads no longer text', () => {
    const keys = Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`)
    expect(faultsOf([...keys, 'k7: 2'].join('\n'))).toEqual([
      { message: expect.stringContaining('twice'), line: 20_001 },
    ])
    expect(faultsOf(`name: ${'x'.repeat(250_000)}`)).toEqual([
      { message: expect.stringContaining('longer'), line: null },
    ])
  })

  it.each([
    ['written in two ways', '  true: { type: approval, question: q }\n  "true": { type: approval, question: q }'],
    ['by another name', '  &k a: { type: approval, question: q }\n  *k : { type: approval, question: q }'],
  ])('tells a task that stands twice, %s', (_, tasks) => {
    expect(faultsOf(`name: x\ntasks:\n${tasks}\n`)).toEqual([{ message: expect.stringContaining('twice'), line: 4 }])
  })

  it('says in words what is too much, too little or too deep', () => {
    const many = Array.from({ length: 51 }, () => 'b').join(', ')
    const limits = `name: ""
tasks:
  a: { type: approval, question: "", needs: [${many}] }
  b: { type: code_execution, language: python, code: "1", timeoutSeconds: 0, retry: { attempts: 11 } }
`
    expect(faultsOf(limits)).toEqual([
      { message: 'name: It is to be at least 1 character.', line: 1 },
      { message: 'tasks.a.needs: It is to be at most 50 entries.', line: 3 },
      { message: 'tasks.a.question: It is to be at least 1 character.', line: 3 },
      { message: 'tasks.b.retry.attempts: It is to be at most 10.', line: 4 },
      { message: 'tasks.b.timeoutSeconds: It is to be at least 1.', line: 4 },
    ])
    const deep = (sign: string) => faultsOf(sign.repeat(20_000))[0]
    for (const sign of ['[', '{a: ', '- '])
      expect(deep(sign)).toEqual({ message: 'The graph is nested too deeply here.', line: 1 })
  })

  it.each(['constructor', 'toString', 'valueOf'])('has no output %s that nobody declared', name => {
    const tasks = `a: { type: code_execution, language: python, code: "1" }
  b: { type: code_execution, language: python, code: "1", inputs: { x: { from: a.${name} } } }`
    expect(faultsOf(`name: x\ntasks:\n  ${tasks}\n`)).toMatchObject([{ line: 4 }])
  })

  it('never throws, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string(), text => void parseGraph(text)),
      { numRuns: 300 },
    )
  })

  it('of any order puts each task behind all that it needs', () => {
    const edges = fc.array(fc.tuple(fc.nat(19), fc.nat(19)), { maxLength: 60 })
    fc.assert(
      fc.property(edges, pairs => {
        const needs = (at: number) => pairs.filter(([a, b]) => a === at && b < a).map(([, b]) => `t${b}`)
        const tasks = Object.fromEntries(
          Array.from({ length: 20 }, (_, at) => [
            `t${at}`,
            {
              type: 'approval' as const,
              question: 'q',
              needs: needs(at),
              inputs: {},
              retry: { attempts: 1, delaySeconds: 1 },
              timeoutSeconds: 60,
            },
          ]),
        )
        const parsed = checkGraph({ name: 'x', tasks })
        if ('faults' in parsed) throw new Error('a graph without a cycle was refused')
        const layerOf = new Map(parsed.graph.layers.flatMap((layer, at) => layer.map(name => [name, at] as const)))
        for (const [name, others] of parsed.graph.needs)
          for (const other of others) expect(layerOf.get(other)).toBeLessThan(layerOf.get(name) as number)
      }),
    )
  })
})
