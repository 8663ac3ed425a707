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
 */
export async function rejection(
  code: string,
  language: Language,
  python: string | null,
): Promise<SyntaxRejection | null> {
  try {
    if (language === 'python') return python === null ? null : await pythonRejects(plainPython(code), python)
    if (language === 'bash') return null
    const types = typesRejected(code)
    if (types === null || language === 'typescript') return types
    return scriptRejected(code)
  } catch {
    return null
  }
}

/** The compiler compiles the text and says so; a text that wears it out ends the process, and nothing is known. */
const question = `
import json, sys, warnings
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CPU, (3, 3))
except ImportError:
    pass
warnings.simplefilter('ignore')
source = sys.stdin.buffer.read().decode('utf-8')
try:
    compile(source, '<cell>', 'exec', 0x2000, dont_inherit=True)
except SyntaxError as error:
    print(json.dumps([type(error).__name__, error.msg, error.lineno, error.offset]))
else:
    print('[]')
`
const patienceMs = 4_000
const longestAnswer = 16_384

function pythonRejects(code: string, python: string): Promise<SyntaxRejection | null> {
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
    asked.on('close', status => resolve(status === 0 ? said(answer) : null))
    asked.stdin.end(code)
  })
}

function said(answer: string): SyntaxRejection | null {
  try {
    const [name, message, line, column] = JSON.parse(answer) as unknown[]
    if (typeof name !== 'string' || typeof message !== 'string') return null
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
    const { code: kind, message } = error as { code?: string; message?: string }
    // What it understands and cannot translate is no mistake of the writer.
    if (kind !== 'ERR_INVALID_TYPESCRIPT_SYNTAX' || typeof message !== 'string') return null
    return { message: `SyntaxError: ${message.split('\n', 1)[0] ?? ''}`.slice(0, 500), line: null, column: null }
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
