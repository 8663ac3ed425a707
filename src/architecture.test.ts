import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const files = globSync(['src/**/*.ts', 'electron/**/*.ts', 'renderer/**/*.{ts,tsx}'], { cwd: root })
  .filter(file => !/\.test(ing)?\.tsx?$|\/testing\.ts$/.test(file))
  .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))

/** Every import of a file of ours, by both paths from the root. Comments that show an import do not count. */
const imports = files.flatMap(({ file, text }) =>
  [...text.matchAll(/^(?:import|export)\b[^;'"]*?from '(\.[^']+)'|^import '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm)].map(
    match => ({
      file,
      to: relative(root, join(root, dirname(file), match[1] ?? match[2] ?? match[3] ?? '')),
    }),
  ),
)
const breaking = (rule: (from: string, to: string) => boolean) =>
  imports.filter(({ file, to }) => rule(file, to)).map(({ file, to }) => `${file} → ${to}`)

const moduleOf = (file: string) => /^src\/([^/]+)\//.exec(file)?.[1] ?? null

describe('the layout is the architecture', () => {
  it('finds imports at all', () => {
    expect(imports.length).toBeGreaterThan(500)
  })

  it('lets the contract import nothing of the engine', () => {
    expect(breaking((from, to) => from.startsWith('src/contract/') && !to.startsWith('src/contract/'))).toEqual([])
  })

  it('lets the renderer see only the contract', () => {
    expect(
      breaking(
        (from, to) => from.startsWith('renderer/') && !to.startsWith('renderer/') && !to.startsWith('src/contract/'),
      ),
    ).toEqual([])
  })

  it('keeps Electron and the renderer out of the engine', () => {
    expect(breaking((from, to) => from.startsWith('src/') && /^(electron|renderer)\//.test(to))).toEqual([])
    const direct = files.filter(({ file, text }) => !file.startsWith('electron/') && /from 'electron'/.test(text))
    expect(direct.map(({ file }) => file)).toEqual([])
  })

  it('lets nothing but the desktop door import doors', () => {
    expect(
      breaking(
        (from, to) => to.startsWith('src/doors/') && !from.startsWith('src/doors/') && !from.startsWith('electron/'),
      ),
    ).toEqual([])
  })

  it('shows a module only by the file named like it', () => {
    // `runs/run.ts` holds the states of a run, which every stage must name; back ends stand in folders of their own;
    // the list of rules is a table that one command prints without starting the guard.
    const faces = new Set([
      'src/runs/run.ts',
      'src/sandbox/registry.ts',
      'src/sandbox/local/local.ts',
      'src/sandbox/docker/docker.ts',
      'src/sandbox/microvm/microvm.ts',
      'src/sandbox/e2b/e2b.ts',
      'src/guard/rule-list.ts',
    ])
    // Storage shows its tables, and queries in words of their owners; how they are put to the database stays inside.
    const isStorage = (to: string) =>
      /^src\/storage\/(tables\/\w+|record\/\w+|every-row|failure|latest|lists|prepared|search)\.ts$/.test(to)
    const isFace = (to: string) => faces.has(to) || isStorage(to) || /^src\/(\w+)\/\1\.ts$/.test(to)
    expect(
      breaking((from, to) => {
        const target = moduleOf(to)
        if (!target || target === 'contract' || target === 'doors' || moduleOf(from) === target) return false
        return !isFace(to)
      }),
    ).toEqual([])
  })

  it('wires modules together in the engine only', () => {
    // Between modules an import of a type is a need, an import of a maker is wiring.
    const makers =
      /^import [^;]*?\bcreate(?:Audit|Approval|Contexts|Conversations|Runs|Chat|Workflows|Analyses|Guard|Privacy)\b/m
    const wiring = files.filter(({ text }) => makers.test(text)).map(({ file }) => file)
    expect(wiring.length).toBeGreaterThan(3)
    // A door may open one module alone: the record, or the guard.
    expect(wiring.filter(file => !/^src\/(?:engine|doors)\//.test(file))).toEqual([])
    expect(breaking((from, to) => to === 'src/engine/engine.ts' && !/^(?:src\/doors|electron)\//.test(from))).toEqual(
      [],
    )
  })

  it('leaves what goes on the record to the engine: no door can forget it', () => {
    const noting = files.filter(({ file }) => /^(?:src\/doors|electron)\//.test(file))
    expect(noting.filter(({ text }) => /\baction: '[a-z-]+\.[a-z-]+'/.test(text)).map(({ file }) => file)).toEqual([])
  })

  it('keeps the SQL dialect in storage', () => {
    const writing = files.filter(({ text }) => /^import [^;]*?\bsql\b[^;]*? from 'kysely'/m.test(text))
    expect(writing.filter(({ file }) => !file.startsWith('src/storage/')).map(({ file }) => file)).toEqual([])
    const dialect =
      /\bjson_each\b|\bindexed by\b|`\s*pragma\b|\browid\b|\bfts5\b|->>|insert or (?:ignore|replace)|CompiledQuery/
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    // The guard reads other people's SQL and has words for it; it asks no database anything.
    const asking = files.filter(({ file }) => !/^src\/(?:storage|guard)\//.test(file))
    expect(asking.filter(({ text }) => dialect.test(code(text))).map(({ file }) => file)).toEqual([])
    const direct = files.filter(({ file, text }) => !/^src\/storage\//.test(file) && /from 'better-sqlite3'/.test(text))
    expect(direct.map(({ file }) => file)).toEqual([])
  })

  it('makes a cleared run in one place only', () => {
    const makers = files.filter(({ text }) => /\bas (?:unknown as )?ClearedRun\b/.test(text)).map(({ file }) => file)
    expect(makers).toHaveLength(1)
    expect(makers[0]).toMatch(/^src\/approval\//)
  })
})
