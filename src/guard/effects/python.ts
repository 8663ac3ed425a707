import type { EffectTable } from '../effect.ts'
import type { Call, Value } from '../model.ts'
import { list, sketch, text, textOf } from '../values.ts'
import { pythonDatabases } from './databases.ts'
import {
  arg,
  does,
  effect,
  embed,
  embedCommand,
  isOpening,
  isTrue,
  opensNamed,
  readsFileOrUrl,
  table,
  worksIn,
} from './make.ts'
import { fileEffects } from './python-files.ts'
import { argvNames, execNames, nativeCommands, shellNames, spawnNames, textRunners } from './python-names.ts'
import { networkEffects } from './python-network.ts'
import { commandNames, commandWords, loopEffects, loopWords, storeEffects } from './python-stores.ts'
import { writerEffects } from './python-writers.ts'
import { programsIn } from './sql.ts'

const command = arg(0, 'args', 'cmd', 'command')
const commandText = (call: Call): Value | undefined => {
  return shown(command(call))
}
const shown = (value: Value | undefined): Value | undefined => {
  if (value?.kind !== 'list' || value.open) return value
  return value.items.every(item => item.kind === 'text') ? text(value.items.map(item => textOf(item)).join(' ')) : value
}

const inFolder = worksIn(arg(99, 'cwd'))

/** `os.execl('/bin/sh', 'sh', '-c', …)`: the second argument is only the name that the program sees. */
const execWords = (call: Call): Value | undefined => {
  // `spawnl(mode, file, name, …)`, `execl(file, name, …)`.
  const listed = /\.(exec|spawn)l/.test(call.name)
    ? list(call.args.slice(call.name.includes('.spawnl') ? 2 : 1))
    : call.args.find(value => value.kind === 'list')
  const program = call.args.find(value => value.kind === 'text')
  if (listed?.kind !== 'list') return program
  return program === undefined ? listed : list([program, ...listed.items.slice(1)], listed.open)
}

export const pythonEffects: EffectTable = {
  languages: ['python'],
  calls: {
    ...fileEffects,
    ...writerEffects,
    ...networkEffects,
    ...pythonDatabases,
    ...storeEffects,
    ...loopEffects,
    ...table(commandNames, call => {
      const words = commandWords(call)
      return words === null ? [] : [effect('run', call, shown(words))]
    }),
    ...table(['*.subprocess_shell', '*.subprocess_exec'], call => [effect('run', call, shown(loopWords(call)))]),
    ...table(nativeCommands, call => [effect('run', call, call.args[0])]),
    ...table(
      ['runpy.run_module', 'webbrowser.get().open', 'webbrowser.get().open_new'],
      does('run', arg(0, 'mod_name')),
    ),
    ...table(['%run', 'runpy.run_path'], call => [
      effect('run', call, arg(0, 'path_name')(call)),
      effect('read', call, arg(0, 'path_name')(call)),
    ]),
    '%load': readsFileOrUrl(arg(0)),
    '%writefile': call => [effect('write', call, call.args[0], { payload: call.args[1] })],
    ...table(
      [
        ...shellNames,
        ...argvNames,
        ...execNames,
        ...spawnNames,
        'pty.spawn',
        'os.startfile',
        'webbrowser.open',
        'asyncio.create_subprocess_exec',
      ],
      call => [effect('run', call, commandText(call)), ...inFolder(call)],
    ),
  },
  others: { about: isOpening, effects: opensNamed },
  embeds: {
    ...Object.fromEntries(shellNames.map(name => [name, (call: Call) => embedCommand(call, command(call))])),
    ...Object.fromEntries(argvNames.map(name => [name, embedArgv])),
    ...Object.fromEntries(execNames.map(name => [name, (call: Call) => embedCommand(call, execWords(call))])),
    ...Object.fromEntries(spawnNames.map(name => [name, (call: Call) => embedCommand(call, execWords(call))])),
    ...Object.fromEntries(
      commandNames.map(name => [name, (call: Call) => embedCommand(call, commandWords(call) ?? undefined)]),
    ),
    ...Object.fromEntries(
      ['*.subprocess_shell', '*.subprocess_exec'].map(name => [
        name,
        (call: Call) => embedCommand(call, loopWords(call)),
      ]),
    ),
    ...Object.fromEntries(nativeCommands.map(name => [name, (call: Call) => embedCommand(call, call.args[0])])),
    'pty.spawn': call => embedCommand(call, command(call)),
    'asyncio.create_subprocess_exec': call => embedCommand(call, list(call.args)),
    '*.exec_command': call => embedCommand(call, call.args[0]),
    eval: call => embed(call, 'python', call.args[0]),
    exec: call => embed(call, 'python', call.args[0]),
    'code.InteractiveInterpreter().runsource': call => embed(call, 'python', call.args[0]),
    ...Object.fromEntries(
      textRunners.map(name => [
        name,
        (call: Call) => [
          ...embed(call, 'python', arg(0, 'stmt', 'code', 'statement')(call)),
          ...embed(call, 'python', arg(name.startsWith('timeit.') ? 1 : 99, 'setup')(call)),
        ],
      ]),
    ),
    ...Object.fromEntries(['pandas.eval', '*.query', '*.eval'].map(name => [name, embedQuery])),
    ...Object.fromEntries(
      ['run_cell', 'run_cell_async', 'run_code', 'ex', 'ev'].map(name => [
        `IPython.get_ipython().${name}`,
        (call: Call) => embed(call, 'python', call.args[0]),
      ]),
    ),
    ...Object.fromEntries(
      ['system', 'system_raw', 'system_piped', 'getoutput', 'getoutputerror'].map(name => [
        `IPython.get_ipython().${name}`,
        (call: Call) => embedCommand(call, call.args[0]),
      ]),
    ),
    'IPython.get_ipython().run_line_magic': embedMagic,
    'IPython.get_ipython().run_cell_magic': embedMagic,
    'IPython.get_ipython().magic': call => embed(call, 'python', text(`%${sketch(call.args[0], '{x}') ?? ''}`)),
    ...Object.fromEntries(
      ['pip.main', 'pip._internal.main', 'pip._internal.cli.main.main'].map(name => [
        name,
        (call: Call) =>
          call.args[0]?.kind === 'list' ? embedCommand(call, list([text('pip'), ...call.args[0].items])) : [],
      ]),
    ),
    ...Object.fromEntries(
      ['timeit', 'pdb', 'cProfile', 'profile', 'trace', 'zipapp', 'zipfile', 'tarfile'].map(module => [
        `${module}.main`,
        (call: Call) =>
          call.args[0]?.kind === 'list'
            ? embedCommand(call, list([text('python'), text('-m'), text(module), ...call.args[0].items]))
            : [],
      ]),
    ),
    'pydoc.pipepager': call => embedCommand(call, call.args[1]),
    'pipes.Template().append': call => embedCommand(call, call.args[0]),
    'webbrowser.GenericBrowser': call => embedCommand(call, call.args[0]),
    ...Object.fromEntries(['*.execute', '*.executescript'].map(name => [name, programsIn])),
    // What sympy is told to read is run by `eval` first; a formula calls nothing that reaches out of it.
    ...Object.fromEntries(
      ['sympy.sympify', 'sympy.S', 'sympy.parse_expr', 'sympy.parsing.sympy_parser.parse_expr'].map(name => [
        name,
        (call: Call) =>
          /__|import|\bopen\(/.test(sketch(call.args[0]) ?? '') ? embed(call, 'python', call.args[0]) : [],
      ]),
    ),
  },
}

/** With `shell=True` a list gives the shell its first word only; without it, text is the name of a program. */
function embedArgv(call: Call): ReturnType<typeof embed> {
  const value = command(call)
  if (value?.kind === 'list' && isTrue(call.named.get('shell'))) return embedCommand(call, value.items[0])
  return embedCommand(call, value)
}

/** `df.query('@f(x)')` calls what stands outside of the frame; a plain comparison is no code to follow. */
function embedQuery(call: Call): ReturnType<typeof embed> {
  const written = sketch(arg(0, 'expr')(call)) ?? ''
  if (!/__|@\s*[\w.]+\s*\(/.test(written)) return []
  return embed(call, 'python', text(written.replace(/`[^`]*`/g, 'column').replace(/@/g, '')))
}

/** `run_line_magic('sx', 'rm a')`: the line or the cell as a notebook would have it. */
function embedMagic(call: Call): ReturnType<typeof embed> {
  const [name, line, cell] = call.args
  if (textOf(name) === null) return []
  const head = `${cell === undefined ? '%' : '%%'}${textOf(name)} ${sketch(line, '{x}') ?? ''}`
  return embed(call, 'python', text(cell === undefined ? head : `${head}\n${sketch(cell, 'x') ?? ''}`))
}
