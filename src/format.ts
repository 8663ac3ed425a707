import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Language } from './contract/run.ts'

/** Programs that format a language by reading standard input, best first. None of them runs what it reads. */
const formatters: Record<Language, readonly (readonly string[])[]> = {
  python: [
    ['ruff', 'format', '-'],
    ['black', '-q', '-'],
  ],
  javascript: [[deno(), 'fmt', '--ext=js', '-']],
  typescript: [[deno(), 'fmt', '--ext=ts', '-']],
  bash: [['shfmt', '-i', '2', '-']],
}

const limitMs = 5000

/** Code as its language's formatter writes it; where none is installed, tidied: trailing space, tabs, blank lines. */
export async function formatCode(language: Language, code: string): Promise<string> {
  for (const [program, ...args] of formatters[language]) {
    const formatted = program ? await pipe(program, args, code) : null
    if (formatted !== null) return formatted.replace(/\n$/, code.endsWith('\n') ? '\n' : '')
  }
  return tidy(code)
}

export function tidy(code: string): string {
  const lines = code
    .split('\n')
    .map(line => line.replace(/[ \t]+$/, '').replace(/^\t+/, tabs => '    '.repeat(tabs.length)))
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
