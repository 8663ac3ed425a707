import type { Impact, Inspection, Target } from '../contract/inspection.ts'
import type { Program } from './model.ts'
import { variablesOf } from './variables.ts'

/** What a cell takes from the cells before it and what it leaves for those behind it. */
export interface Dependencies {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  readonly filesRead: readonly string[]
  readonly filesWritten: readonly string[]
  /** It may take or leave more than can be told: whoever asks counts it as dependent on all before it. */
  readonly unknown: boolean
  /** The same again whenever variables and files are the same: no clock, no chance, no network, no person. */
  readonly repeatable: boolean
}

export const nothingKnown: Dependencies = {
  reads: [],
  writes: [],
  filesRead: [],
  filesWritten: [],
  unknown: true,
  repeatable: false,
}

export function dependenciesOf(program: Program, inspection: Pick<Inspection, 'impact' | 'complete'>): Dependencies {
  const { impact, complete } = inspection
  const variables = program.language === 'bash' ? shellVariables(program) : variablesOf(program.body ?? [])
  const written = [...impact.filesWritten, ...impact.filesDeleted]
  const unknown =
    !complete ||
    variables.open ||
    impact.commands.length > 0 ||
    [...impact.filesRead, ...written].some(({ target }) => target === null) ||
    program.calls.some(({ name }) => /^%(run|load|unknown|load_ext)$/.test(name))
  return {
    reads: [...variables.reads].sort(),
    writes: [...variables.writes].sort(),
    filesRead: known(impact.filesRead),
    filesWritten: known(written),
    unknown,
    repeatable: !unknown && isRepeatable(program, impact),
  }
}

const known = (targets: readonly Target[]): string[] =>
  [...new Set(targets.flatMap(({ target }) => (target === null ? [] : [target])))].sort()

/** A script names its variables in many ways; one that is only mentioned counts as read. */
function shellVariables({ source, assignments }: Program): ReturnType<typeof variablesOf> {
  const writes = new Set<string>()
  for (const { target } of assignments) writes.add(target.replace(/\[.*$/s, ''))
  for (const [, name = ''] of source.matchAll(/\b(?:for|select)\s+([A-Za-z_]\w*)|\b([A-Za-z_]\w*)\s*\(\)/g))
    writes.add(name)
  for (const [, words = ''] of source.matchAll(
    /\b(?:read|mapfile|readarray|unset|getopts|declare|export|let)\b([^;\n|&<>]*)/g,
  ))
    for (const [name] of words.matchAll(/(?<![-\w$])[A-Za-z_]\w*/g)) writes.add(name)
  writes.delete('')
  const reads = new Set<string>()
  for (const [, name = ''] of source.matchAll(/\$\{?[#!]?([A-Za-z_]\w*)/g)) reads.add(name)
  for (const [sum] of source.matchAll(/\(\([^)]*\)\)/g))
    for (const [name] of sum.matchAll(/[A-Za-z_]\w*/g)) reads.add(name)
  return { reads, writes, open: /(^|[;&|\s])(eval|source|\.)\s/.test(source) }
}

const clock =
  /^(time\.(time\w*|perf_counter\w*|monotonic\w*|process_time\w*|localtime|gmtime|ctime|strftime|sleep)|datetime\.(datetime\.(now|utcnow|today)|date\.today)|pandas\.Timestamp\.(now|today|utcnow)|pandas\.to_datetime|Date|Date\.now|performance\.now|Temporal\.Now\.\w+|date|timeit\.\w+|os\.times|process\.(hrtime|uptime)\S*)$/
const chance =
  /^(random\.\w+|numpy\.random\.\w+|secrets\.\w+|uuid\.uuid[14]|os\.urandom|Math\.random|crypto\.(random\w+|getRandomValues)|torch\.(rand\w*|normal|randperm)|tensorflow\.random\.\w+|jax\.random\.PRNGKey|shuf|mktemp|uuidgen|\w[\w.]*\(\)\.(sample|shuffle))$/
const seeds =
  /^(random\.(seed|Random)|numpy\.random\.(seed|RandomState|default_rng|SeedSequence|PCG64)|torch\.manual_seed|tensorflow\.random\.set_seed)$/
/** Methods that draw lots unless they are told where to begin. */
const drawing =
  /(^|\.)(train_test_split|KMeans|MiniBatchKMeans|RandomForest\w+|ExtraTrees\w+|GradientBoosting\w+|SGD\w+|MLP\w+|TSNE|UMAP|ShuffleSplit|StratifiedShuffleSplit|RandomizedSearchCV|IsolationForest|sample|make_(blobs|classification|regression|moons|circles))$/
const asking =
  /^(input|getpass\.getpass|prompt|confirm|alert|os\.getpid|os\.getenv|os\.environ\S*|process\.env\S*|platform\.\w+|socket\.gethostname|getpid|read)$/

function isRepeatable(program: Program, impact: Impact): boolean {
  if (impact.hosts.length > 0 || impact.dataModified.length > 0 || (impact.unknownCalls?.length ?? 0) > 0) return false
  if (
    /^\s*%{1,2}(time|timeit|prun|env|memit)\b/m.test(program.source) ||
    /\$\{?(RANDOM|SECONDS|EPOCH\w+|BASHPID|SRANDOM)\b|\$\$/.test(program.source)
  )
    return false
  // A generator that was told where to begin gives the same numbers each time; one from before does not.
  const seeded = program.calls.some(({ name, args, named }) => seeds.test(name) && (args.length > 0 || named.size > 0))
  return program.calls.every(({ name, named, args }) => {
    if (clock.test(name)) return name === 'Date' && args.length > 0
    if (asking.test(name)) return false
    if (seeds.test(name)) return args.length > 0 || named.size > 0
    if (chance.test(name)) return seeded && !/^(secrets|uuid|os|crypto|Math|shuf|mktemp|uuidgen)\b/.test(name)
    return !drawing.test(name) || seeded || named.has('random_state') || named.has('seed')
  })
}
