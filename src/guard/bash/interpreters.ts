/** Languages that code in a shell script may be written in. The first three are read by their own front ends. */
export type CodeLanguage =
  | 'bash'
  | 'python'
  | 'javascript'
  /** Read by patterns: what they run, connect to, read and write stands in calls that look alike. */
  | 'script'
  | 'awk'
  | 'sed'
  /** Editors, pagers, debuggers and database clients: lines of which some go to a shell. */
  | 'prompt'

export interface Interpreter {
  readonly language: CodeLanguage
  /** Switches whose value is code, as written. */
  readonly code: readonly string[]
  /** The first operand is code, not a file, unless the code was given by a switch. */
  readonly operandIsCode?: boolean
  /** Without code, file or standard input it waits for somebody to type. */
  readonly prompts?: boolean
}

const shell: Interpreter = { language: 'bash', code: ['-c'], prompts: true }
const script = (...code: readonly string[]): Interpreter => ({ language: 'script', code, prompts: true })
const awk: Interpreter = { language: 'awk', code: ['-e', '--source'], operandIsCode: true }

export const shellNames = [
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'ksh93',
  'mksh',
  'pdksh',
  'ash',
  'yash',
  'posh',
  'rbash',
  'csh',
  'tcsh',
  'fish',
  'rc',
  'es',
  'sash',
  'elvish',
  'xonsh',
  'nu',
  'oil',
  'osh',
] as const

export const interpreters: Readonly<Record<string, Interpreter>> = {
  ...Object.fromEntries(shellNames.map(name => [name, shell])),
  python: { language: 'python', code: ['-c'], prompts: true },
  pypy: { language: 'python', code: ['-c'], prompts: true },
  ipython: { language: 'python', code: ['-c'], prompts: true },
  jython: { language: 'python', code: ['-c'], prompts: true },
  node: { language: 'javascript', code: ['-e', '--eval', '-p', '--print'], prompts: true },
  nodejs: { language: 'javascript', code: ['-e', '--eval', '-p', '--print'], prompts: true },
  bun: { language: 'javascript', code: ['-e', '--eval'] },
  deno: { language: 'javascript', code: ['eval'] },
  // JavaScript in which everything that matters is called from Java.
  jrunscript: script('-e'),
  jjs: script(),
  perl: { language: 'script', code: ['-e', '-E'] },
  latexmk: { language: 'script', code: ['-e'] },
  ruby: { language: 'script', code: ['-e'] },
  jruby: script('-e'),
  irb: script(),
  pry: script('-e'),
  rake: { language: 'script', code: ['-e', '-p', '-E'] },
  php: { language: 'script', code: ['-r', '--run', '-B', '-R', '-E'] },
  lua: script('-e'),
  luajit: script('-e'),
  luatex: script(),
  tclsh: script(),
  wish: script(),
  expect: script('-c'),
  julia: script('-e', '--eval', '-E'),
  octave: script('--eval'),
  R: script('-e'),
  Rscript: script('-e'),
  ghc: { language: 'script', code: ['-e'] },
  ghci: script('-e'),
  guile: script('-c'),
  racket: script('-e', '--eval'),
  sbcl: script('--eval'),
  clisp: script('-x'),
  scala: script('-e'),
  groovy: { language: 'script', code: ['-e'] },
  elixir: { language: 'script', code: ['-e', '--eval'] },
  iex: script('-e'),
  erl: script('-eval'),
  swipl: script('-g'),
  gnuplot: script('-e'),
  osascript: { language: 'script', code: ['-e'] },
  pwsh: { language: 'script', code: ['-c', '-Command', '-command'], prompts: true },
  powershell: { language: 'script', code: ['-c', '-Command', '-command', '-enc', '-EncodedCommand'], prompts: true },
  slsh: script('-e'),
  dotnet: { language: 'script', code: [] },
  emacs: {
    language: 'script',
    code: ['--eval', '-eval', '--execute', '-execute', '--script', '-script', '-l', '--load'],
  },
  emacsclient: { language: 'script', code: ['-e', '--eval'] },
  jshell: script(),
  ocaml: script('-e'),
  jtag: { language: 'prompt', code: [], prompts: true },
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed: { language: 'sed', code: ['-e', '--expression'], operandIsCode: true },
  gsed: { language: 'sed', code: ['-e', '--expression'], operandIsCode: true },
}

/** `python3.11`, `lua5.3`, `php8` are all the same to a reader; so are the builds of vim. */
export function plainName(base: string): string {
  const versioned =
    /^(python|pypy|ipython|perl|ruby|php|lua|luajit|tclsh|wish|node|gcc|g\+\+|clang|emacs|bash|ksh|julia|irb|octave|pip|ghc)-?(\d[\d.]*)?(-config|-cli)?$/.exec(
      base,
    )
  if (versioned?.[1] && versioned[3] !== '-config') return versioned[1]
  if (/^ld(-linux.*|-musl.*|64)?\.so(\.\d+)?$/.test(base)) return 'ld.so'
  return base
}
