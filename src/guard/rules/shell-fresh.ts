import { pathOf } from '../bash/facts.ts'
import { shellNames } from '../bash/interpreters.ts'
import { readOptions, valuesOf } from '../bash/options.ts'
import { listOf } from '../lists.ts'
import type { Call, Program } from '../model.ts'
import { normalise } from '../paths.ts'
import type { Rule, Scene } from '../rule.ts'
import { hasFresh, sketch, startOf, textOf, wholeOf } from '../values.ts'
import { isShell, line, shell, words } from './shell-ask.ts'

const languages = words('python pypy perl ruby node php lua java')
const builders = new Set(
  words('make gmake ninja scons ant mvn gradle cmake meson pip pip3 npm yarn pnpm cargo go bundle gem composer'),
)
const runners = new Set<string>([...shellNames, ...languages, 'source', '.', ...builders])
const isTemporaryFolder = (path: string): boolean => /^\/(private\/)?(tmp|var\/tmp|dev\/shm)\/./.test(path)

/** The file that a command runs: itself, or the script that it gives to an interpreter. */
function fileRun(call: Call): string | null {
  const path = pathOf(call)
  if (path !== null) return path
  if (!isShell(call) && !languages.includes(call.name) && call.name !== 'source' && call.name !== '.') return null
  if (call.name === 'java') return /(?:^| )-jar (\S+)/.exec(line(call))?.[1] ?? null
  if (/(^| )-\w*[cemr]\b/.test(line(call))) return null
  return sketch(readOptions(call.args, isShell(call) ? 'o O rcfile init-file' : 'W X I', true).operands[0])
}

const isWritten = (path: string, { redirections }: Program): boolean =>
  redirections.some(({ operator, target }) => operator.includes('>') && sketch(target) === path)

/** A program that was built here from source in the working folder may lie anywhere. */
const isBuilt = (path: string, { calls }: Program): boolean =>
  calls.some(call => /^(gcc|g\+\+|cc|clang|clang\+\+|rustc|go|ghc)$/.test(call.name) && line(call).includes(path))

/** A folder whose content came from elsewhere while the script ran. */
interface Arrived {
  readonly folder: string
  /** Not so for the folder in an archive, of whose name only the start is known. */
  readonly exact: boolean
  readonly since: number
}

const isIn = (path: string, { folder, exact }: Arrived): boolean =>
  path === folder ||
  (exact ? path.startsWith(`${folder}/`) : path.startsWith(folder) && path.includes('/', folder.length))

const folderOf = (call: Call): string => wholeOf(call.named.get('folder')) ?? '.'
const seen = (call: Call, path: string): string =>
  /^[/~]/.test(path) ? normalise(path) : normalise(`${folderOf(call)}/${path}`)
const lastOf = (address: string): string =>
  address
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/^.*[/:]/, '')
const archive = /\.(tar(\.\w+)?|tgz|tbz2?|txz|zip|7z|rar)$/i

function clonedBy(call: Call): Arrived | null {
  const words = readOptions(call.args, 'c C b o u depth branch origin').operands
  const [verb, source, target] = textOf(words[0]) === 'submodule' ? words.slice(1) : words
  if (
    !/^(clone|add)$/.test(textOf(verb) ?? '') ||
    !/:/.test(startOf(source)) ||
    source === undefined ||
    /^[./~]/.test(startOf(source))
  )
    return null
  const name = sketch(target) ?? lastOf(sketch(source) ?? '').replace(/\.git$/, '')
  return name === '' ? null : { folder: seen(call, name), exact: true, since: call.start }
}

/** Archives and build files that were fetched, by name. */
function fetchedBy(call: Call): string[] {
  const names = valuesOf(readOptions(call.args, 'o O output output-document'), 'o', 'O', 'output', 'output-document')
  return [...names, ...call.args.filter(arg => /^https?:\/\/.+\//.test(startOf(arg)))].map(name =>
    lastOf(sketch(name) ?? ''),
  )
}

function unpackedBy(call: Call, fetched: ReadonlySet<string>, piped: boolean): Arrived[] {
  const names = call.args.map(arg => lastOf(sketch(arg) ?? '')).filter(name => fetched.has(name) && archive.test(name))
  const sources = names.length > 0 ? names : piped ? [...fetched].filter(name => archive.test(name)) : []
  const into = valuesOf(readOptions(call.args, 'C d f directory'), 'C', 'd', 'directory')[0]
  const folder = into === undefined ? null : sketch(into)
  if (sources.length === 0 && !(piped && folder !== null)) return []
  if (folder !== null && normalise(folder) !== '.')
    return [{ folder: seen(call, folder), exact: true, since: call.start }]
  // `tool-1.2.tar.gz` holds a folder of its name, more often than not.
  return sources.flatMap(name => {
    const stem = /^[A-Za-z_]+/.exec(name)?.[0]
    return stem === undefined ? [] : [{ folder: seen(call, stem), exact: false, since: call.start }]
  })
}

const buildFile = /^((GNU)?[Mm]akefile|setup\.py|package\.json|CMakeLists\.txt|build\.(xml|gradle)|.*\.mk)$/

function runsArrived(calls: readonly Call[], { program }: Scene): Call | undefined {
  const arrived: Arrived[] = []
  const fetched = new Set<string>()
  for (const call of calls) {
    if (call.name === 'git') {
      const cloned = clonedBy(call)
      if (cloned !== null) arrived.push(cloned)
    } else if (/^(curl|wget)$/.test(call.name)) for (const name of fetchedBy(call)) fetched.add(name)
    else {
      const piped = program.pipelines.some(
        pipe => pipe.calls.includes(call) && pipe.calls.some(({ name }) => /^(curl|wget)$/.test(name)),
      )
      arrived.push(...unpackedBy(call, fetched, piped))
    }
  }
  const builds = [...fetched].some(name => buildFile.test(name))
  if (arrived.length === 0 && !builds) return undefined
  return program.calls.find(call => {
    if (builds && builders.has(call.name)) return true
    const file = fileRun(call)
    if (file === null && !builders.has(call.name)) return false
    const given = listOf(call.args, arg => startOf(arg)).filter(word => word !== '' && word[0] !== '-')
    const places = file === null ? given : [file]
    const folder = normalise(folderOf(call))
    return arrived.some(
      each =>
        call.start >= each.since &&
        (places.some(place => isIn(seen(call, place), each)) ||
          (folder !== '.' &&
            isIn(folder, each) &&
            (places.length === 0 || places.some(place => !place.startsWith('..'))))),
    )
  })
}

/** Code that came here while the script ran: cloned, unpacked, put into a folder that everybody can write to. */
export const shellFreshRules: readonly Rule[] = [
  {
    id: 'shell/temporary-program',
    languages: shell,
    type: 'process',
    severity: 'medium',
    cwe: 'CWE-377',
    description: 'Runs a program out of a folder that every user can write to, where nobody knows whose it is.',
    recommendation: 'Keep programs in the working folder and run them from there.',
    implies: ['run'],
    match: {
      on: 'calls',
      about: name => isTemporaryFolder(name) || runners.has(name),
      find: (calls, { program }) => {
        const found = calls.find(call => {
          const path = fileRun(call)
          if (path === null || !isTemporaryFolder(path) || isBuilt(path, program)) return false
          // What the script wrote itself in another language is read by itself; a name of its own is nobody else's.
          if (isShell(call) || call.name === 'source' || call.name === '.')
            return !hasFresh(path) || isWritten(path, program)
          return !hasFresh(path) && !(languages.includes(call.name) && isWritten(path, program))
        })
        return found ? [{ at: found }] : []
      },
    },
    examples: {
      bad: ['/tmp/agent --quiet', 'sh /tmp/step.sh', 'f=$(mktemp); echo id > "$f"; bash "$f"', 'python3 /dev/shm/a.py'],
      good: [
        './run.sh',
        'd=$(mktemp -d); "$d/tool"',
        'gcc a.c -o /tmp/a && /tmp/a',
        "echo 'print(1)' > /tmp/a.py; python3 /tmp/a.py",
        'sort /tmp/a.txt',
      ],
    },
  },
  {
    id: 'shell/arrived-code',
    languages: shell,
    type: 'command-injection',
    severity: 'high',
    cwe: 'CWE-494',
    description: 'Fetches a repository, an archive or a build file and runs what is in it at once.',
    recommendation: 'Fetch it, read it, and run it in a step of its own.',
    implies: ['connect', 'run'],
    match: {
      on: 'calls',
      about: name => /^(git|curl|wget|tar|unzip|7z|bsdtar)$/.test(name),
      find: (calls, scene) => {
        const found = runsArrived(calls, scene)
        return found ? [{ at: found }] : []
      },
    },
    examples: {
      bad: [
        'git clone https://example.org/x/tool && cd tool && make install',
        'git clone -q https://example.org/x/tool /tmp/t && make -C /tmp/t',
        'wget https://example.org/tool-1.2.tgz && tar xzf tool-1.2.tgz && ./tool-1.2/install.sh',
        'curl -s https://example.org/Makefile -o Makefile && make',
      ],
      good: [
        'git clone https://example.org/x/data && ls data',
        'git clone https://example.org/x/data && python3 analyse.py data/a.csv',
        'wget https://example.org/data.zip && unzip data.zip -d data && python3 analyse.py data/a.csv',
        'wget https://example.org/data.zip && unzip data.zip && python3 data_report.py',
        'tar xzf own.tgz && make -C own',
      ],
    },
  },
  {
    id: 'shell/remote-module',
    languages: shell,
    type: 'command-injection',
    severity: 'high',
    cwe: 'CWE-829',
    description: 'Runs a program straight from a registry, a repository or an address.',
    recommendation: 'Install it by name and version first, after a look at it.',
    implies: ['connect', 'run'],
    match: {
      on: 'call',
      names: words('go deno uv uvx pipx bunx nix nix-shell jbang cargo dotnet-script'),
      when: call => {
        const all = line(call)
        switch (call.name) {
          case 'go':
            return /^(run|install) (-\S+ )*\w[\w-]*(\.[\w-]+)+\/\S+/.test(all) && !/\.go( |$)/.test(all)
          case 'deno':
            return /^(run|eval|install) .*(https?:|npm:|jsr:)/.test(all)
          case 'cargo':
            return /^install .*--git/.test(all)
          case 'nix':
            return /^(run|shell|develop) .*(github:|git\+|https?:|nixpkgs#)/.test(all)
          case 'nix-shell':
            return /(^| )-p |https?:/.test(all) ? { severity: 'medium' } : false
          case 'uv':
            return /^(tool )?run .*(https?:|git\+|--from)/.test(all)
          case 'pipx':
            return /^run /.test(all)
          default:
            return call.args.length > 0 && !/^(--version|--help|-h)$/.test(all)
        }
      },
    },
    examples: {
      bad: [
        'go run example.org/x/tool@latest',
        'deno run -A https://example.org/x.ts',
        'nix run github:x/y',
        'pipx run x',
      ],
      good: ['go run main.go', 'go run ./cmd/report', 'deno run report.ts', 'uv run pytest', 'cargo install --path .'],
    },
  },
]
