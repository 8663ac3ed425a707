import { spawn } from 'node:child_process'
import * as nodeModule from 'node:module'
import { Script } from 'node:vm'
import type { SyntaxRejection } from '../contract/inspection.ts'
import type { Language } from '../contract/run.ts'
import { plainPython } from './python/front-end.ts'

/**
 * Asks the compiler of a language whether it takes a text. Nothing is run: a text that is rejected cannot run at all, so
 * that nobody has to decide about it. Null when it is taken, and also when the compiler cannot be asked or does not
 * answer: what could not be read then stays what it was.
 *
 * A path may have a newer Python than the one that is asked: where our reader took the text, `unread` is false and only
 * mistakes in every version count.
 */
export async function rejection(
  code: string,
  language: Language,
  python: string | null,
  unread: boolean,
): Promise<SyntaxRejection | null> {
  try {
    if (language === 'python') return python === null ? null : await pythonRejects(plainPython(code), python, unread)
    if (language === 'bash') return null
    if (language === 'typescript') return typesRejected(code)
    const script = scriptRejected(code)
    return script !== null && typesRejected(code) !== null ? script : null
  } catch {
    return null
  }
}

/** The compiler compiles the text and says so; a text that wears it out ends the process, and nothing is known. */
const question = `
import json, re, sys, warnings
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (3, 3))
except ImportError:
    pass
warnings.simplefilter('ignore')
source = sys.stdin.buffer.read().decode('utf-8')
never = ('Missing parentheses in call to', 'positional argument follows', 'non-default argument follows')
grammar = True
v = sys.version_info
# What this Python cannot know yet: a text without any of it is wrong in newer ones too.
newer = '|'.join(
    [r'(?!)']
    + ([r'^\\s*except\\b[^:]*,', r'\\b(?:t|tr|rt)["\\x27]'] if v < (3, 14) else [])
    + ([r'\\btype\\s+\\w', r'\\b(?:def|class)\\s+\\w+\\s*\\[', r'\\b(?:f|fr|rf)["\\x27]'] if v < (3, 12) else [])
    + ([r'\\bexcept\\s*\\*', r'\\[[^\\]]*\\*'] if v < (3, 11) else [])
    + ([r'\\bmatch\\b', r'\\bwith\\s*\\('] if v < (3, 10) else [])
)
try:
    tree = compile(source, '<cell>', 'exec', 0x2400, dont_inherit=True)
    grammar = False
    compile(tree, '<cell>', 'exec', 0x2000, dont_inherit=True)
except SyntaxError as error:
    every = not grammar or isinstance(error, IndentationError) or error.msg.startswith(never) or not re.search(newer, source, re.M | re.I)
    print(json.dumps([type(error).__name__, error.msg, error.lineno, error.offset, every]))
else:
    print('[]')
`
const patienceMs = 4_000
const longestAnswer = 16_384

function pythonRejects(code: string, python: string, unread: boolean): Promise<SyntaxRejection | null> {
  return new Promise(resolve => {
    const asked = spawn(python, ['-I', '-S', '-c', question], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: patienceMs,
      killSignal: 'SIGKILL',
    })
    let answer = ''
    asked.on('error', () => resolve(null))
    asked.stdin.on('error', () => undefined)
    asked.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (answer.length < longestAnswer) answer += text
    })
    asked.on('close', status => resolve(status === 0 ? said(answer, unread) : null))
    asked.stdin.end(code)
  })
}

function said(answer: string, unread: boolean): SyntaxRejection | null {
  try {
    const [name, message, line, column, every] = JSON.parse(answer) as unknown[]
    if (typeof name !== 'string' || typeof message !== 'string' || !(unread || every === true)) return null
    return { message: `${name}: ${message}`.slice(0, 500), line: counted(line), column: counted(column) }
  } catch {
    return null
  }
}

const counted = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : null

/** The parser that the kernel takes types away with. */
function typesRejected(code: string): SyntaxRejection | null {
  if (typeof nodeModule.stripTypeScriptTypes !== 'function') return null
  try {
    quietly(() => nodeModule.stripTypeScriptTypes(code, { mode: 'transform' }))
    return null
  } catch (error) {
    const { code: kind, message, stack } = error as { code?: string; message?: string; stack?: string }
    // What it understands and cannot translate is no mistake of the writer.
    if (kind !== 'ERR_INVALID_TYPESCRIPT_SYNTAX' || typeof message !== 'string') return null
    const line = counted(Number(/^:(\d+)\n/.exec(stack ?? '')?.[1]))
    return { message: `SyntaxError: ${message.split('\n', 1)[0] ?? ''}`.slice(0, 500), line, column: null }
  }
}

/** Types are looked at in a way that Node calls experimental each time a process does it first. */
function quietly(work: () => void): void {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    work()
  } finally {
    process.emitWarning = emitWarning
  }
}

/** The engine that runs it, which takes more than modules may hold; around it a function, for `await` at the top. */
function scriptRejected(code: string): SyntaxRejection | null {
  try {
    new Script(`(async () => {\n${code}\n})`, { filename: 'cell', lineOffset: -1 })
    return null
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SyntaxError') return null
    const line = counted(Number(/^cell:(\d+)/.exec(error.stack ?? '')?.[1]))
    return { message: `SyntaxError: ${error.message}`.slice(0, 500), line, column: null }
  }
}
