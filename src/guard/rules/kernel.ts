import type { Value } from '../model.ts'
import type { Rule } from '../rule.ts'
import { code, python, scripts } from './ask.ts'
import { shell } from './shell-ask.ts'

/** Modules of the kernel itself, under whatever private name. */
const own = /^_*countersign(?:_\w+)*(?:\.[\w.]+)?$/i
/** Ways to get at a module by a text. */
const byText = /\bmodules\b|import_module|__import__|find_spec|find_loader|getattr|run_module|pkgutil|\breload\b/

/** A descriptor that the program has not opened itself: the kernel's channel and its pipes are among them. */
const isForeign = (value: Value | undefined): boolean => value?.kind === 'number' && value.number > 2
const ofDescriptor = /^\/(dev\/fd|proc\/(self|thread-self|\d+)\/fd)\/(?![012]$)\d/

/** Rules about what runs the code and is no part of it. */
export const kernelRules: readonly Rule[] = [
  {
    id: 'system/kernel-internals',
    languages: python,
    type: 'privilege',
    severity: 'critical',
    cwe: 'CWE-693',
    description: 'Reaches into the kernel that runs the code and confines it.',
    recommendation: 'Remove it: no analysis needs the inside of the kernel.',
    implies: ['privilege', 'run'],
    match: {
      on: 'program',
      find: ({ program }) =>
        [
          ...program.imports.filter(({ module, names }) => own.test(module) || names.some(name => own.test(name))),
          ...program.calls.filter(({ name }) => own.test(name.replace(/[()[\]]+/g, ''))),
          ...(byText.test(program.source)
            ? program.texts.filter(({ role, text }) => role === 'value' && own.test(text))
            : []),
        ].map(({ start, end }) => ({ at: { start, end } })),
    },
    examples: {
      bad: [
        'import countersign.jail as j\nj.libc.system(b"id")',
        'from countersign import jail',
        "import importlib\nimportlib.import_module('countersign')",
        "import sys\nk = sys.modules['_countersign_kernel']",
        "__import__('countersign.jail')",
      ],
      good: [
        "print('countersign')",
        "df['countersign'].sum()",
        'countersigned = True',
        'import counters\ncounters.sign()',
      ],
    },
  },
  {
    id: 'system/foreign-descriptor',
    languages: code,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-619',
    description: 'Uses a descriptor by its number that the program has not opened, such as the channel of the kernel.',
    recommendation: 'Open the file that is meant, and use what that gives.',
    implies: ['privilege'],
    match: {
      on: 'call',
      names: [
        ...[
          'read',
          'write',
          'writev',
          'pwrite',
          'sendfile',
          'splice',
          'dup',
          'dup2',
          'fdopen',
          'close',
          'closerange',
        ].map(name => `os.${name}`),
        ...['socket.socket', 'socket.fromfd', 'open', 'io.open', 'io.FileIO'],
        ...['fs.writeSync', 'fs.readSync', 'fs.write', 'fs.read', 'fs.closeSync', 'net.Socket'],
      ],
      when: ({ name, args, named }) =>
        name === 'net.Socket'
          ? args[0]?.kind === 'map' && isForeign(args[0].entries.get('fd'))
          : isForeign(named.get('fileno') ?? (name === 'socket.socket' ? undefined : args[0])) ||
            (/open|FileIO/.test(name) && args[0]?.kind === 'text' && ofDescriptor.test(args[0].text)),
    },
    examples: {
      bad: [
        "import os\nos.write(250, b'x')",
        'import socket\nsocket.socket(fileno=250)',
        "open('/proc/self/fd/250', 'wb')",
        { language: 'javascript', code: "const net = require('net'); new net.Socket({ fd: 3 })" },
      ],
      good: ["import os\nos.write(1, b'x')", "open('data.csv')", 'import os\nfd = os.open("a", 0)\nos.close(fd)'],
    },
  },
  {
    id: 'system/runtime-internals',
    languages: scripts,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-693',
    description: 'Reaches into the runtime below what it offers to programs.',
    recommendation: 'Use what the runtime offers: no analysis needs its inside.',
    implies: ['privilege', 'run'],
    match: {
      on: 'program',
      find: ({ program: { source } }) =>
        source.includes('Deno')
          ? [...source.matchAll(/\bDeno\s*(?:\.\s*core\b|\[\s*Deno\s*\.\s*internal\s*\])/g)].map(
              ({ index, 0: text }) => ({
                at: { start: index, end: index + text.length },
              }),
            )
          : [],
    },
    examples: {
      bad: [
        { language: 'javascript', code: "Deno.core.ops.op_spawn_child({ cmd: 'id' })" },
        { language: 'typescript', code: 'Deno[Deno.internal].core.ops' },
      ],
      good: [{ language: 'javascript', code: "await Deno.readTextFile('a.csv')" }],
    },
  },
  {
    id: 'shell/kernel-channel',
    languages: shell,
    type: 'privilege',
    severity: 'high',
    cwe: 'CWE-619',
    description: 'Reads from or writes to a descriptor of the kernel, by which that reports how runs end.',
    recommendation: 'Use descriptors that the script has opened itself, such as 3 to 9.',
    implies: ['privilege'],
    match: {
      on: 'program',
      find: ({ program: { source } }) =>
        [...source.matchAll(/[<>]&\s*2[45]\d\b|[<>]\s*\/(?:dev|proc\/\w+)\/fd\/2[45]\d\b/g)].map(
          ({ index, 0: text }) => ({
            at: { start: index, end: index + text.length },
          }),
        ),
    },
    examples: {
      bad: ["printf 'x' >&250", 'exec 9>/proc/self/fd/250', 'cat <&249'],
      good: ['echo x >&2', 'exec 3>log; echo x >&3', 'cat < /dev/fd/3'],
    },
  },
]
