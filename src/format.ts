import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Language } from './contract/run.ts'

/** Formatters that read text and run nothing of it. They throw where the code does not parse. */
const formatters: Record<Language, (code: string) => Promise<string | null>> = {
  python: async code => (await import('@wasm-fmt/ruff_fmt/node')).format(code, 'cell.py'),
  bash: async code => (await import('@wasm-fmt/shfmt/node')).format(code, 'cell.bash', { indent: 2 }),
  javascript: code => pipe(deno(), ['fmt', '--ext=js', '-'], code),
  typescript: code => pipe(deno(), ['fmt', '--ext=ts', '-'], code),
}

const limitMs = 5000

/** Code as its language's formatter writes it; what does not parse is tidied: trailing space, tabs, blank lines. */
export async function formatCode(language: Language, code: string): Promise<string> {
  const formatted = await formatters[language](code).catch(() => null)
  return formatted === null ? tidy(code) : formatted.replace(/\n$/, code.endsWith('\n') ? '\n' : '')
}

/** By hand: a pattern would look at blanks in the middle of a line once for each of them. */
function withoutEnd(line: string): string {
  let to = line.length
  while (line[to - 1] === ' ' || line[to - 1] === '\t') to--
  return line.slice(0, to)
}

export function tidy(code: string): string {
  const lines = code.split('\n').map(line => withoutEnd(line).replace(/^\t+/, tabs => '    '.repeat(tabs.length)))
  return lines
    .join('\n')
    .replace(/\n{4,}/g, '\n\n\n')
    .replace(/^\n+/, '')
    .replace(/\n+$/, '')
}

/** What the program answers, or null when it is not there, refuses the code or takes too long. */
function pipe(program: string, args: readonly string[], input: string): Promise<string | null> {
  return new Promise(resolve => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: limitMs,
      env: { PATH: process.env.PATH, HOME: '/nonexistent', NO_COLOR: '1' },
    })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', text => (output += text))
    child.on('error', () => resolve(null))
    child.on('close', code => resolve(code === 0 ? output : null))
    // A program that ends without reading would otherwise end us.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

function deno(): string {
  try {
    const system = process.platform === 'linux' ? `linux-${process.arch}-glibc` : `${process.platform}-${process.arch}`
    const folder = dirname(createRequire(import.meta.url).resolve(`@deno/${system}/package.json`))
    return join(folder, 'deno').replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked')
  } catch {
    return 'deno'
  }
}
