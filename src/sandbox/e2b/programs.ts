import { readFileSync } from 'node:fs'
import { resource } from '../../places.ts'

/** Folder of our own in the sandbox, below the home folder; the working folder is the other one. */
export const ownFolder = '/home/user/.countersign'
export const workFolder = '/home/user/work'

/** What answers questions about live Python state: the same files that answer them on this machine. */
export const questionFiles = () =>
  ['__init__.py', 'later.py', 'questions.py', 'fingerprints.py', 'tables.py'].map(name => ({
    path: `${ownFolder}/_cellkernel/${name}`,
    data: readFileSync(resource('kernels', '_cellkernel', name), 'utf8'),
  }))

/** Once in each new Python context. It prints the process to be interrupted. */
export const pythonSetup = `
import os as __os, sys as __sys
if __os.path.expanduser('~/.countersign') not in __sys.path:
    __sys.path.insert(0, __os.path.expanduser('~/.countersign'))
def __countersign_ask(mark, what, code, offset):
    import json
    from _cellkernel import questions
    space = {k: v for k, v in globals().items() if k not in ('In', 'Out', 'exit', 'quit', 'get_ipython', 'open')}
    value, body = questions.answer(what, space, space, code, offset)
    print(mark + json.dumps({'value': value, 'body': body.decode('utf-8')}))
__sys.argv = ['cell']
print(__os.getpid())
`

export const pythonArguments = (args: readonly string[]) =>
  `import sys as __sys\n__sys.argv = ['cell', *__import__('json').loads(${JSON.stringify(JSON.stringify(args))})]`

export const pythonQuestion = (mark: string, { what, code, offset }: Question) =>
  `__countersign_ask(${[mark, what, code].map(text => JSON.stringify(text)).join(', ')}, ${offset})`

export interface Question {
  readonly what: 'variables' | 'complete' | 'hover' | 'table'
  readonly code: string
  readonly offset: number
}

/** Names that an object has, or that are global, for an owner that is a plain chain of names. */
export const scriptQuestion = (mark: string, owner: string) => `
console.log(${JSON.stringify(mark)} + JSON.stringify((() => {
  const names = new Set()
  try {
    for (let each = Object(${owner || 'globalThis'}); each; each = Object.getPrototypeOf(each))
      for (const name of Object.getOwnPropertyNames(each)) names.add(name)
  } catch {}
  return [...names].slice(0, 5000)
})()))`

const state = '"$HOME/.countersign/bash-state"'

/** A cell in a shell of its own that begins with what the last one left: variables, functions, folder. */
export const shellRun = (cell: string, args: readonly string[]) => `
exec bash --noprofile --norc -c '
  [ -f ${state} ] && . ${state} 2>/dev/null
  trap "{ declare -p; declare -f; printf \\"cd -- %q\\\\n\\" \\"\\$PWD\\"; } > ${state.replaceAll('"', '\\"')}" EXIT
  . "$HOME/.countersign/${cell}" "$@"
' bash ${args.map(quoted).join(' ')}`

export const shellNames = (start: string) => `
[ -f ${state} ] && . ${state} 2>/dev/null
compgen -A variable -A function -A command -- ${quoted(start)} | sort -u | head -300`

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
