import { allRules, rulesPage } from '../../../guard/rule-list.ts'
import { type Command, exit } from '../command.ts'

export const command: Command = {
  help: `
Usage: countersign rules [--json | --markdown]

Options:
      --json       one JSON array
      --markdown   the documentation page`,
  options: { json: { type: 'boolean' }, markdown: { type: 'boolean' } },
  async run(args, io) {
    if (args.values.markdown === true) io.stdout.write(rulesPage())
    else if (args.values.json === true) io.stdout.write(`${JSON.stringify(allRules())}\n`)
    else {
      for (const rule of allRules()) {
        io.stdout.write(`${rule.severity.padEnd(9)}${rule.id.padEnd(36)}${rule.description}\n`)
      }
    }
    return exit.success
  },
}
