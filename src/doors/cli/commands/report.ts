import { writeFileSync } from 'node:fs'
import { extname, isAbsolute, join } from 'node:path'
import { chromiumPrinter, exportsThrough } from '../../../audit/audit.ts'
import { ReportFormat, reportFormats } from '../../../contract/report.ts'
import { storageFailure } from '../../../storage/failure.ts'
import { type Arguments, type Command, exit, type Io, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { pathHelp, pathNamed } from '../path-argument.ts'
import { scopeFrom } from './audit-arguments.ts'

export const command: Command = {
  help: `
Usage: countersign report [FILE] [--from DAY] [--to DAY] [--format FORMAT] [--title TEXT]
       countersign report [FILE] --conversation ID
       countersign report [FILE] --run ID
       countersign report --path PATH [--out FILE.pdf|FILE.html] [--with-code] [--allow-stale]

Without FILE the report goes to standard output; without a scope it covers everything.

Options:
  -f, --format     ${reportFormats.join(', ')}; otherwise from the file's extension, or html
      --json       the report as JSON on standard output
      --from, --to a day (2026-07-01, --to included) or a moment (2026-07-01T08:00Z)
      --title      on the cover
      --path       the pinned figures of a path with what they rest on, instead of the record
      --out        the file to write, as FILE is
      --with-code  the code of the cells behind the figures too
      --allow-stale  also figures whose cells were changed after their run, marked as such

${pathHelp}

A PDF needs a Chromium or Chrome; COUNTERSIGN_CHROMIUM names one that is in no usual place.

Exit: 0 the report was made and the record is intact, 1 the record is damaged (the report says how), 2 wrong use,
3 a figure is stale (with --path), 4 there is nothing to print with.

Examples:
  countersign report q3.pdf --from 2026-07-01 --to 2026-09-30 --title 'Third quarter 2026'
  countersign report runs.csv
  countersign report --path 'Capital review' --out review.pdf
  countersign report --json | jq .totals`,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    conversation: { type: 'string' },
    run: { type: 'string' },
    format: { type: 'string', short: 'f' },
    title: { type: 'string' },
    json: { type: 'boolean' },
    path: { type: 'string' },
    out: { type: 'string' },
    'with-code': { type: 'boolean' },
    'allow-stale': { type: 'boolean' },
  },
  async run(args, io) {
    const name = typeof args.values.out === 'string' ? args.values.out : args.positionals[0]
    const file = name === undefined ? null : isAbsolute(name) ? name : join(io.cwd, name)
    if (typeof args.values.path === 'string') return reportPath(args.values.path, file, args, io)
    for (const only of ['with-code', 'allow-stale'])
      if (args.values[only]) throw new UsageError(`--${only} goes with --path.`)
    const format = formatFrom(args, name)
    const scope = scopeFrom(args)
    return withEngine(io, async ({ audit, privacy, caller }) => {
      const made = await audit.reportFile({
        scope,
        format,
        actor: caller.user,
        printPdf: chromiumPrinter(io.env),
        passEgress: exportsThrough(privacy.egress, file ?? 'standard output'),
        signal: io.signal,
        ...(typeof args.values.title === 'string' && { title: args.values.title }),
      })
      if (file === null) io.stdout.write(made.bytes)
      else {
        write(file, made.bytes)
        const { entries, totals } = made.report
        io.stderr.write(`${file}: ${entries} entries, ${totals.runs} runs\n`)
      }
      if (made.report.record.verified) return exit.success
      io.stderr.write('The record is damaged; the report says how.\n')
      return exit.failed
    })
  },
}

/** The figures of a path as a document. Standard output gets the page. */
async function reportPath(named: string, file: string | null, args: Arguments, io: Io): Promise<number> {
  const { title } = args.values
  const ending = file === null ? 'html' : extname(file).slice(1)
  if (ending !== 'pdf' && ending !== 'html') throw new UsageError('the report of a path is a .pdf or .html file.')
  return withEngine(io, async engine => {
    const { path } = await pathNamed(engine, named)
    const made = await engine.figures.report(
      engine.caller,
      {
        ...{ path: path.id, format: ending, ...(typeof title === 'string' && { title }) },
        withCode: args.values['with-code'] === true,
        allowStale: args.values['allow-stale'] === true,
      },
      { signal: io.signal },
    )
    if (!made.ok) {
      io.stderr.write(`countersign report: ${made.problem.message}\n${made.problem.hint} (${made.problem.code})\n`)
      return made.problem.code === 'report.stale' ? exit.refused : exit.failed
    }
    if (file === null) io.stdout.write(made.value.bytes)
    else write(file, made.value.bytes)
    return exit.success
  })
}

function write(file: string, bytes: Uint8Array): void {
  try {
    writeFileSync(file, bytes, { mode: 0o600 })
  } catch (error) {
    throw storageFailure(error, file)
  }
}

function formatFrom(args: Arguments, name: string | undefined): ReportFormat {
  if (args.values.json === true) return 'json'
  const asked = args.values.format ?? (name ? extname(name).slice(1) : 'html')
  const format = ReportFormat.safeParse(asked)
  if (format.success) return format.data
  throw new UsageError(`'${String(asked)}' is not a format; there are ${reportFormats.join(', ')}.`)
}
