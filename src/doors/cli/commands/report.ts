import { writeFileSync } from 'node:fs'
import { extname, isAbsolute, join } from 'node:path'
import { chromiumPrinter, exportsThrough } from '../../../audit/audit.ts'
import { ReportFormat, reportFormats } from '../../../contract/report.ts'
import { storageFailure } from '../../../storage/failure.ts'
import { type Arguments, type Command, exit, UsageError } from '../command.ts'
import { withEngine } from '../open.ts'
import { scopeFrom } from './audit-arguments.ts'

export const command: Command = {
  help: `
Usage: countersign report [FILE] [--from DAY] [--to DAY] [--format FORMAT] [--title TEXT]
       countersign report [FILE] --conversation ID
       countersign report [FILE] --run ID

Without FILE the report goes to standard output; without a scope it covers everything.

Options:
  -f, --format     ${reportFormats.join(', ')}; otherwise from the file's extension, or html
      --json       the report as JSON on standard output
      --from, --to a day (2026-07-01, --to included) or a moment (2026-07-01T08:00Z)
      --title      on the cover

A PDF needs a Chromium or Chrome; COUNTERSIGN_CHROMIUM names one that is in no usual place.

Exit: 0 the report was made and the record is intact, 1 the record is damaged (the report says how), 2 wrong use,
4 there is nothing to print with.

Examples:
  countersign report q3.pdf --from 2026-07-01 --to 2026-09-30 --title 'Third quarter 2026'
  countersign report runs.csv
  countersign report --json | jq .totals`,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    conversation: { type: 'string' },
    run: { type: 'string' },
    format: { type: 'string', short: 'f' },
    title: { type: 'string' },
    json: { type: 'boolean' },
  },
  async run(args, io) {
    const [name] = args.positionals
    const file = name === undefined ? null : isAbsolute(name) ? name : join(io.cwd, name)
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
        try {
          writeFileSync(file, made.bytes, { mode: 0o600 })
        } catch (error) {
          throw storageFailure(error, file)
        }
        const { entries, totals } = made.report
        io.stderr.write(`${file}: ${entries} entries, ${totals.runs} runs\n`)
      }
      if (made.report.record.verified) return exit.success
      io.stderr.write('The record is damaged; the report says how.\n')
      return exit.failed
    })
  },
}

function formatFrom(args: Arguments, name: string | undefined): ReportFormat {
  if (args.values.json === true) return 'json'
  const asked = args.values.format ?? (name ? extname(name).slice(1) : 'html')
  const format = ReportFormat.safeParse(asked)
  if (format.success) return format.data
  throw new UsageError(`'${String(asked)}' is not a format; there are ${reportFormats.join(', ')}.`)
}
