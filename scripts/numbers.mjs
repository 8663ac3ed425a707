/** The numbers that a script is given, by place; with `--help` its words, and with anything else those and exit code 2. */
export function numbersOf(help, ...usual) {
  const args = process.argv.slice(2)
  const given = usual.map((value, at) => (args[at] === undefined ? value : Number(args[at])))
  const isWrong = args.length > usual.length || !given.every(each => Number.isFinite(each) && each >= 0)
  if (!isWrong) return given
  process.stdout.write(help)
  process.exit(args.includes('--help') ? 0 : 2)
}
