import { Settings } from '../../../contract/settings.ts'
import { type Command, exit } from '../command.ts'
import { withEngine } from '../open.ts'

export const command: Command = {
  help: `
Usage: countersign doctor [--json] [--settings]

  --json       one JSON document
  --settings   every setting too: its value, where that comes from, what it means

Exit: 0 when code can run here, 4 when it cannot.
`,
  options: { json: { type: 'boolean' }, settings: { type: 'boolean' } },
  async run({ values }, io) {
    return withEngine(io, async engine => {
      const probes = await engine.doctor()
      const { settings, origins } = engine.settings.view()
      const canRun = probes.some(probe => probe.name === 'local' && probe.available)
      if (values.json) {
        const document = { probes, home: engine.home, ...(values.settings ? { settings, origins } : {}) }
        io.stdout.write(`${JSON.stringify(document)}\n`)
      } else {
        for (const { name, available, detail, hint } of probes) {
          io.stdout.write(`${available ? '✓' : '✗'} ${name.padEnd(22)} ${detail}\n`)
          if (hint) io.stdout.write(`${' '.repeat(25)}${hint}\n`)
        }
        io.stdout.write(`\nData: ${engine.home}\n`)
        if (values.settings) io.stdout.write(`\n${settingsTable(settings, origins)}`)
      }
      return canRun ? exit.success : exit.unavailable
    })
  },
}

function settingsTable(settings: Settings, origins: Record<string, string>): string {
  let text = ''
  for (const [group, values] of Object.entries(settings)) {
    for (const [name, value] of Object.entries(values)) {
      const path = `${group}.${name}`
      const schema = Settings.shape[group as keyof Settings].unwrap().shape as Record<string, { description?: string }>
      text += `${path.padEnd(28)} ${JSON.stringify(value).padEnd(12)} ${origins[path] ?? 'default'}\n`
      text += `${' '.repeat(28)} ${schema[name]?.description ?? ''}\n`
    }
  }
  return text
}
