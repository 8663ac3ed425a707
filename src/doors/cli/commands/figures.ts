import type { Figure, FigureComparison, FigureState, Lineage } from '../../../contract/figures.ts'
import { Failure, type Outcome } from '../../../contract/problem.ts'
import { type Command, exit, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { pathHelp, pathNamed } from '../path-argument.ts'

export const command: Command = {
  help: `
Usage: countersign figures list PATH [--json]
       countersign figures compare PATH [PATH…] [--json]
       countersign figures lineage PATH NAME [--json]

${pathHelp}
One PATH after compare means all paths of its conversation.

Options:
      --json   one JSON document on standard output

Exit: 0 all figures are current, 1 one is stale or has nothing to show, 2 wrong use.

Examples:
  countersign figures list 'Capital review'
  countersign figures compare 'Capital review' --json | jq '.rows[0].states[].state.value'
  countersign figures lineage 'Capital review/stress +200bp' 'CET1 ratio'`,
  options: { json: { type: 'boolean' } },
  async run({ values, positionals: [what, ...rest] }, io) {
    const [first, ...others] = rest
    if (first === undefined || (what !== 'list' && what !== 'compare' && what !== 'lineage'))
      throw new UsageError('say list, compare or lineage, and a path.')
    return withEngine(io, async engine => {
      const { figures, caller } = engine
      const print = (json: unknown, text: () => string) =>
        io.stdout.write(values.json ? `${JSON.stringify(json)}\n` : text())
      const { path, all } = await pathNamed(engine, first)
      switch (what) {
        case 'list': {
          const found = must(await figures.list(caller, path.id))
          print({ path: path.id, name: path.name, figures: found }, () => listText(found))
          return exitFor(found.map(({ state }) => state))
        }
        case 'compare': {
          const named = []
          for (const other of others) named.push((await pathNamed(engine, other)).path.id)
          const paths = others.length > 0 ? [path.id, ...named] : all.map(each => each.id)
          const comparison = must(await figures.compare(caller, { paths }))
          print(comparison, () => compareText(comparison))
          return exitFor(comparison.rows.flatMap(({ states }) => states.map(({ state }) => state)))
        }
        case 'lineage': {
          const [name] = others
          if (name === undefined) throw new UsageError('say which figure, by its name or id.')
          const found = must(await figures.list(caller, path.id)).filter(each => each.name === name || each.id === name)
          if (found.length !== 1 || !found[0])
            throw new UsageError(`'${name}' is ${found.length === 0 ? 'no figure' : 'several figures'} of this path.`)
          const lineage = must(await figures.lineage(caller, { path: path.id, figure: found[0].id }))
          print(lineage, () => lineageText(lineage))
          return exitFor([found[0].state])
        }
      }
    })
  },
}

function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw new Failure(outcome.problem.code, outcome.problem.message, outcome.problem.hint)
}

const exitFor = (states: readonly FigureState[]): number =>
  states.every(state => state.kind === 'shown' && !state.stale) ? exit.success : exit.failed

function shownText(state: FigureState): string {
  if (state.kind === 'gone') return `– (${state.why === 'place' ? 'not in the last output' : `no ${state.why}`})`
  const { value, stale } = state
  const text =
    value.kind === 'table'
      ? `table, ${value.rows} × ${value.columns}`
      : value.kind === 'chart'
        ? `chart${value.title ? ` “${value.title}”` : ''}`
        : value.shown
  return stale ? `${text} (stale)` : text
}

function listText(figures: readonly Figure[]): string {
  if (figures.length === 0) return 'Nothing is pinned on this path.\n'
  const width = Math.max(...figures.map(({ name }) => name.length))
  return figures.map(({ name, state }) => `${name.padEnd(width)}  ${shownText(state)}\n`).join('')
}

function compareText({ paths, rows }: FigureComparison): string {
  if (rows.length === 0) return 'Nothing is pinned on these paths.\n'
  const table = [
    ['', ...paths.map(({ name }) => name)],
    ...rows.map(({ name, states }) => [name, ...states.map(({ state }) => shownText(state))]),
  ]
  const widths = table[0]?.map((_, at) => Math.max(...table.map(row => row[at]?.length ?? 0))) ?? []
  const line = (row: string[]) =>
    row
      .map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd()
  return `${table.map(line).join('\n')}\n`
}

function lineageText({ figure, cell, run, decision, inputs, upstream, history }: Lineage): string {
  const time = (at: number | null) => (at === null ? '' : new Date(at).toISOString())
  const facts: [string, string][] = [
    [figure.name, shownText(figure.state)],
    ['cell', `${cell.id}, revision ${cell.ranRevision ?? cell.revision ?? '?'} (${cell.language})`],
    ['code', cell.codeHash ?? 'not on the record'],
    [
      'run',
      run
        ? `${run.id} by ${run.by}, ${time(run.at)}`
        : 'none on the record: imported, pruned, or changed in the database',
    ],
    ['sandbox', run ? `${run.sandbox} (${run.isolation})${run.image ? `, image ${run.image}` : ''}` : ''],
    ['environment', run?.environment ? `${run.environment.name}, ${run.environment.digest}` : ''],
    [
      'output',
      run?.outputsMatch === false ? 'NOT what the record has by hash' : run?.outputsMatch ? 'as on the record' : '',
    ],
    ['decision', decision ? `approved by ${decision.name}, ${time(decision.at)}` : ''],
    ...inputs.files.map(({ path, sha256 }): [string, string] => ['input', `${sha256}  ${path}`]),
    ...upstream.map(({ firstLine, codeHash }): [string, string] => ['from cell', `${codeHash ?? ''}  ${firstLine}`]),
    ...history
      .slice(1)
      .map(({ value, at }): [string, string] => [
        'before',
        `${'shown' in value ? value.shown : value.kind}  ${time(at)}`,
      ]),
  ]
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts
    .filter(([, text]) => text)
    .map(([name, text]) => `${name.padEnd(width)}  ${text}\n`)
    .join('')
}
