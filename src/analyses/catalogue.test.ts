import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ParameterFile } from '../contract/analyses.ts'
import { resource } from '../places.ts'
import { createCatalogue, makeIndex } from './catalogue.ts'
import { checkParameters, resolve, type Span } from './parameters.ts'
import { prepare } from './prepare.ts'

const shipped = resource('analyses')
let own: string
beforeEach(async () => {
  own = await mkdtemp(join(tmpdir(), 'countersign-analyses-'))
})
afterEach(() => rm(own, { recursive: true, force: true }))

const day = (from: string): Span => ({ from, until: `${from}~`, name: from })
const dated = (values: ParameterFile['parameters'][string]['values'], known_until = '2030-01-01'): ParameterFile => ({
  parameters: { rate: { label: 'Rate', unit: '/1', values, known_until } },
  citations: { law: { act: 'Act', publisher: 'Parliament', read: '2026-01-01', status: 'enacted' } },
})

describe('the catalogue', () => {
  it('has an index that says what the folders hold', async () => {
    const index = JSON.parse(await readFile(join(shipped, 'index.json'), 'utf8'))
    const made = await makeIndex(shipped)
    expect(made).toEqual({ ok: true, value: index })
    expect(index.analyses).toHaveLength(25)
  })

  it('has an example for each period of each parameter', async () => {
    const catalogue = createCatalogue({ shipped, own })
    const missing: string[] = []
    for (const { id } of (await catalogue.list()).entries) {
      const found = await catalogue.get(id)
      if (!found.ok) throw new Error(found.problem.message)
      const examples = found.value.examples()
      if (!examples.ok) throw new Error(examples.problem.message)
      const prepared = examples.value.flatMap(({ input, refused }) => {
        const one = prepare(found.value, { inputs: input })
        return one.ok && !refused ? [one.value.parameters] : []
      })
      for (const [name, { values }] of Object.entries(found.value.parameters.parameters)) {
        for (const { from } of values) {
          if (!prepared.some(parameters => parameters[name]?.from === from)) missing.push(`${id}: ${name} from ${from}`)
        }
      }
    }
    expect(missing).toEqual([])
  })

  it('has an example that names each output', async () => {
    const catalogue = createCatalogue({ shipped, own })
    for (const { id } of (await catalogue.list()).entries) {
      const found = await catalogue.get(id)
      if (!found.ok) throw new Error(found.problem.message)
      const examples = found.value.examples()
      if (!examples.ok) throw new Error(examples.problem.message)
      const named = new Set(examples.value.flatMap(({ output = {} }) => Object.keys(output)))
      const without = Object.keys(found.value.definition.outputs).filter(name => !named.has(name))
      expect(without, id).toEqual([])
    }
  })

  it('refuses a shipped analysis that was changed', async () => {
    const copy = join(own, 'shipped')
    await cp(shipped, copy, { recursive: true })
    await writeFile(join(copy, 'ie-prsi', 'code.py'), 'def run(inputs, params):\n    return {}\n')
    const found = await createCatalogue({ shipped: copy, own }).get('ie-prsi')
    expect(found).toMatchObject({ ok: false, problem: { code: 'analysis.broken' } })
  })

  it('keeps each version that its history names, and refuses one that was changed or that the index does not know', async () => {
    const catalogue = createCatalogue({ shipped, own })
    for (const { id } of (await catalogue.list()).entries) {
      const found = await catalogue.get(id)
      if (!found.ok) throw new Error(found.problem.message)
      const named = found.value.definition.history.map(({ version }) => version).reverse()
      expect(await catalogue.versions(id)).toEqual(named)
      for (const version of named) {
        const kept = await catalogue.get(id, version)
        expect(kept.ok ? kept.value.definition.version : kept.problem.message, id).toBe(version)
      }
    }

    const copy = join(own, 'shipped')
    await cp(shipped, copy, { recursive: true })
    const versions = join(copy, 'ie-prsi', 'versions')
    await writeFile(join(versions, '1.0.0', 'code.py'), 'def run(inputs, params):\n    return {}\n')
    await cp(join(copy, 'hhi', 'versions', '1.0.0'), join(copy, 'hhi', 'versions', '0.9.0'), { recursive: true })
    const about = join(copy, 'hhi', 'versions', '0.9.0', 'analysis.yaml')
    await writeFile(about, (await readFile(about, 'utf8')).replaceAll('1.0.0', '0.9.0'))
    const other = createCatalogue({ shipped: copy, own: join(own, 'none') })
    expect(await other.get('ie-prsi', '1.0.0')).toMatchObject({ problem: { code: 'analysis.broken' } })
    expect(await other.get('hhi', '0.9.0')).toMatchObject({ problem: { code: 'analysis.broken' } })
    expect(await other.get('hhi', '1.0.0')).toMatchObject({ ok: true })
  })

  it('finds an own analysis, marks it as the user’s, and keeps its old versions', async () => {
    const folder = join(own, 'my-prsi')
    const source = join(shipped, 'ie-prsi', 'versions', '1.0.0')
    const older = join(folder, 'versions', '1.0.0')
    await cp(source, folder, { recursive: true })
    await cp(source, older, { recursive: true })
    const about = (await readFile(join(source, 'analysis.yaml'), 'utf8')).replace('id: ie-prsi', 'id: my-prsi')
    await writeFile(join(older, 'analysis.yaml'), about)
    await writeFile(join(folder, 'analysis.yaml'), about.replaceAll('1.0.0', '1.1.0'))

    const catalogue = createCatalogue({ shipped, own })
    const { entries, problems } = await catalogue.list()
    expect(problems).toEqual([])
    expect(entries.find(entry => entry.id === 'my-prsi')).toMatchObject({ origin: 'own', version: '1.1.0' })
    expect(await catalogue.versions('my-prsi')).toEqual(['1.1.0', '1.0.0'])
    const found = await catalogue.get('my-prsi', '1.0.0')
    expect(found.ok && found.value.definition.version).toBe('1.0.0')
    expect(await catalogue.get('my-prsi', '0.9.0')).toMatchObject({ ok: false, problem: { code: 'analysis.unknown' } })
  })

  it('says what is wrong with an own analysis and lists the others', async () => {
    await mkdir(join(own, 'half'))
    await writeFile(join(own, 'half', 'analysis.yaml'), 'id: [')
    const { entries, problems } = await createCatalogue({ shipped, own }).list()
    expect(entries).toHaveLength(25)
    expect(problems).toMatchObject([{ code: 'analysis.broken' }])
  })

  it('names the nearest analysis, and takes no path for a name', async () => {
    const catalogue = createCatalogue({ shipped, own })
    expect(await catalogue.get('ie-pay')).toMatchObject({ problem: { message: expect.stringContaining('ie-paye') } })
    expect(await catalogue.get('../ie-paye')).toMatchObject({ ok: false, problem: { code: 'analysis.unknown' } })
  })
})

describe('the day whose law counts', () => {
  it('may be given among the inputs, and picks a period of a year that has several', async () => {
    const found = await createCatalogue({ shipped, own }).get('uk-class1-nic')
    if (!found.ok) throw new Error(found.problem.message)
    const inputs = { tax_year: '2022-23', pay_frequency: 'weekly', gross_pay: '500' }
    const prepared = (more: Record<string, unknown>) => prepare(found.value, { inputs: { ...inputs, ...more } })
    expect(prepared({})).toMatchObject({ ok: false, problem: { code: 'analysis.range' } })
    expect(prepared({ as_of: '2022-11-06' })).toMatchObject({ ok: true, value: { asOf: '2022-11-06' } })
    expect(prepared({ as_of: '2023-04-06' })).toMatchObject({ ok: false, problem: { code: 'analysis.input' } })
  })
})

describe('parameters', () => {
  it('hold from their first day to the day before the next', () => {
    const file = dated([
      { from: '2020-01-01', value: '1', cite: 'law' },
      { from: '2021-01-01', value: '2', cite: 'law' },
    ])
    const at = (when: string) => {
      const found = resolve(file, day(when))
      return found.ok ? found.value.rate?.value : found.problem.code
    }
    expect(['2019-12-31', '2020-01-01', '2020-12-31', '2021-01-01', '2029-12-31', '2030-01-01'].map(at)).toEqual([
      'analysis.range',
      '1',
      '1',
      '2',
      '2',
      'analysis.range',
    ])
  })

  it('are refused within a gap that a value leaves', () => {
    const file = dated([
      { from: '2020-01-01', to: '2020-07-01', value: '1', cite: 'law' },
      { from: '2021-01-01', value: '2', cite: 'law' },
    ])
    expect(resolve(file, day('2020-07-01'))).toMatchObject({ problem: { code: 'analysis.range' } })
  })

  it('are named where the others are known for other days', () => {
    const file = dated([{ from: '2020-01-01', value: '1', cite: 'law' }])
    const late = { label: 'Limit', unit: 'EUR', values: [{ from: '2022-01-01', value: '9', cite: 'law' }] }
    const both = { ...file, parameters: { ...file.parameters, limit: { ...late, known_until: '2028-01-01' } } }
    const said = (of: ParameterFile, when: string) => {
      const found = resolve(of, day(when))
      return found.ok ? null : found.problem.message
    }
    expect(said(file, '2019-12-31')).toBe('The law is known from 2020-01-01 to before 2030-01-01, not for 2019-12-31.')
    expect(said(both, '2019-12-31')).toContain('“Rate” is known from 2020-01-01')
    expect(said(both, '2021-06-01')).toContain('The law is known from 2022-01-01 to before 2028-01-01')
  })

  it('are refused for a year in which they change, with the input that would help', () => {
    const file = dated([
      { from: '2020-01-01', value: '1', cite: 'law' },
      { from: '2021-10-01', value: '2', cite: 'law' },
    ])
    const year = { from: '2021-01-01', until: '2022-01-01', name: '2021', within: 'pay_date' }
    expect(resolve(file, year)).toMatchObject({ problem: { code: 'analysis.range', hint: 'Give pay_date as well.' } })
  })

  it('may not overlap or run backwards', () => {
    const value = { value: '1', cite: 'law' }
    expect(
      checkParameters(
        dated([
          { from: '2021-01-01', ...value },
          { from: '2020-01-01', ...value },
        ]),
      ),
    ).toContain('rate')
    expect(
      checkParameters(
        dated([
          { from: '2020-01-01', to: '2022-01-01', ...value },
          { from: '2021-01-01', ...value },
        ]),
      ),
    ).toContain('overlaps')
    expect(checkParameters(dated([{ from: '2031-01-01', ...value }]))).toContain('rate')
  })
})
