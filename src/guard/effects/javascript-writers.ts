import type { EffectOf } from '../effect.ts'
import type { Call } from '../model.ts'
import { text, textOf } from '../values.ts'
import { arg, effect, isTrue, optionOf, type Pick, table } from './make.ts'
import { byMode, isElsewhere, writesTo } from './modes.ts'

const field =
  (...names: readonly string[]): Pick =>
  call => {
    for (const name of names) {
      const value = optionOf(call, name)
      if (value !== undefined) return value
    }
    return undefined
  }

/** What is unpacked is written over whatever is there. */
const unpacks =
  (folder: Pick): EffectOf =>
  call => [effect('write', call, folder(call) ?? text('.'), { many: true })]

/** The name of the file comes with a library that has many methods of this name: only a path counts. */
const ifPath =
  (file: Pick): EffectOf =>
  call => {
    const value = file(call)
    return textOf(value) !== null && (isElsewhere(value) || /\.\w{1,5}$/.test(textOf(value) ?? ''))
      ? [effect('write', call, value)]
      : []
  }

/** Deno says in words what it opens a file for. */
function opensInDeno(call: Call): ReturnType<EffectOf> {
  const [file] = call.args
  const may = (name: string): boolean => isTrue(optionOf(call, name))
  const writes = ['write', 'append', 'create', 'truncate', 'createNew'].some(may)
  const reads = !writes || may('read')
  return [
    ...(reads ? [effect('read', call, file)] : []),
    ...(writes ? [effect('write', call, file, { harmless: may('append') || may('createNew') })] : []),
  ]
}

/** What Node, Deno, Bun and common packages write besides the plain functions of `fs`. */
export const scriptWriters: Readonly<Record<string, EffectOf>> = {
  ...table(['fs.open', 'fs.openSync', 'fs.promises.open'], call => {
    const flags = call.args[1]
    // A callback may stand where the mode would.
    return byMode(call, call.args[0], flags?.kind === 'own' ? undefined : flags)
  }),
  ...table(['Deno.open', 'Deno.openSync'], opensInDeno),
  ...table(
    ['Deno.makeTempFile', 'Deno.makeTempFileSync', 'Deno.makeTempDir', 'Deno.makeTempDirSync'],
    writesTo(field('dir'), true),
  ),
  ...table(['Bun.file().delete', 'Bun.file().unlink'], call => [effect('delete', call, undefined)]),
  ...table(['Bun.file().write', 'Bun.file().writer'], call => [effect('write', call, undefined)]),
  ...table(['xlsx.writeFile', 'xlsx.writeFileSync', 'xlsx.writeFileXLSX'], writesTo(arg(1))),
  ...table(['xlsx.writeFileAsync'], writesTo(arg(0))),
  // `workbook.xlsx.writeFile(path)`; the function of the same name in the package `xlsx` is told of above.
  ...table(['*.xlsx.writeFile', '*.csv.writeFile', '*.writeZip', '*.toFile'], call =>
    call.name.startsWith('xlsx.') ? [] : writesTo(arg(0))(call),
  ),
  ...table(['*.writeAsync', '*.saveAs', '*.writeToFile'], ifPath(arg(0))),
  ...table(['*.screenshot', '*.pdf'], call =>
    field('path')(call) ? [effect('write', call, field('path')(call))] : [],
  ),
  ...table(
    ['write-file-atomic', 'write-file-atomic.sync', 'jsonfile.writeFile', 'jsonfile.writeFileSync', 'write-json-file'],
    call => [effect('write', call, call.args[0], { payload: call.args[1] })],
  ),
  ...table(['mkdirp', 'mkdirp.sync', 'mkdirp.mkdirp', 'make-dir', 'shelljs.mkdir', 'shelljs.touch'], call => [
    effect(
      'write',
      call,
      call.args.find(value => !textOf(value)?.startsWith('-')),
      { harmless: true },
    ),
  ]),
  ...table(['better-sqlite3', 'sqlite3.Database', 'sqlite.DatabaseSync', 'bun:sqlite.Database'], call =>
    call.args[0] === undefined || /^(:memory:)?$/.test(textOf(call.args[0]) ?? '-')
      ? []
      : [effect('write', call, call.args[0], { harmless: true })],
  ),
  ...table(['tar.x', 'tar.extract'], unpacks(field('cwd', 'C'))),
  ...table(['tar.c', 'tar.create', 'tar.r', 'tar.replace'], call =>
    field('file', 'f')(call) ? [effect('write', call, field('file', 'f')(call))] : [],
  ),
  'tar-fs.extract': unpacks(arg(0)),
  'extract-zip': unpacks(field('dir')),
  'unzipper.Extract': unpacks(field('path')),
  ...table(['decompress', 'download'], unpacks(arg(1))),
  ...table(['*.extractAllTo', '*.extractAllToAsync'], unpacks(arg(0))),
  '*.extractEntryTo': unpacks(arg(1)),
}
