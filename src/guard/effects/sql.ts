import type { Effect, EffectOf } from '../effect.ts'
import { type Call, type Embedded, origin, type Value } from '../model.ts'
import { from, sketch, text } from '../values.ts'
import { effect } from './make.ts'
import { isAddress } from './python-stores.ts'

const changes =
  /^(?:with\b[\s\S]*?\)\s*)?(insert|update|delete|drop|alter|create|truncate|replace|merge|grant|revoke|upsert|rename|(?:exec(?:ute)?\s+)?(?:master\.(?:dbo|sys)?\.)?xp_cmdshell)\b/i
/** Statements that name a file of the machine; the database makes or overwrites it. */
const filed =
  /^attach\s+(?:database\s+)?'([^']+)'|^vacuum\s.*\binto\s+'([^']+)'|\binto\s+(?:out|dump)file\s+'([^']+)'|^copy\b[\s\S]*\bto\s+'([^']+)'|^(?:export|backup)\s+database\s+(?:\S+\s+to\s+disk\s*=\s*)?'([^']+)'/i
const program =
  /^(?:copy\b[\s\S]*\b(?:to|from)\s+program|(?:exec(?:ute)?\s+)?(?:master\.(?:dbo|sys)?\.)?xp_cmdshell)\s+N?'((?:[^']|'')*)'/i

/** What the statements in a text do to data and files; a query does nothing to either. */
export const executes: EffectOf = call => {
  const [value] = call.args
  const statements = statementsIn(value)
  const effects: Effect[] = []
  for (const statement of statements) {
    const [, verb = ''] = changes.exec(statement) ?? []
    if (verb !== '') {
      const target = statements.length === 1 ? value : text(statement)
      effects.push(effect('modify', call, target, { harmless: /create|insert/i.test(verb) }))
    }
    const file = filed
      .exec(statement)
      ?.slice(1)
      .find(each => each !== undefined)
    if (file !== undefined && file !== ':memory:') effects.push(...written(call, file, /^attach/i.test(statement)))
  }
  return effects
}

/** A database that knows the address of a store sends there what it is told to write. */
const written = (call: Call, file: string, opened: boolean): Effect[] =>
  isAddress(text(file))
    ? [effect('connect', call, text(file), opened ? {} : { payload: from(origin.file) })]
    : [effect('write', call, text(file), { harmless: opened })]

/** DuckDB reads files where other databases have tables. */
export const executesOnFiles: EffectOf = call => {
  const query = sketch(call.args[0] ?? call.named.get('query'), '?') ?? ''
  const effects = [...executes(call)]
  for (const match of query.matchAll(readFile)) {
    const file = match[1] ?? match[2] ?? match[3] ?? ''
    effects.push(effect(isAddress(text(file)) ? 'connect' : 'read', call, text(file)))
  }
  if (/\binstall\s+\w+/i.test(query)) effects.push(effect('connect', call, text('extensions.duckdb.org')))
  return effects
}
const readFile =
  /\b(?:read_(?:csv|parquet|json|ndjson|text|blob)\w*|parquet_scan|read_csv_auto|glob|sniff_csv)\s*\(\s*\[?\s*'([^']+)'|\b(?:from|join)\s+'([^']+)'|\bcopy\s+[\w".]+(?:\s*\([^)]*\))?\s+from\s+'([^']+)'/gi

/** Statements that only the run will know: what they do to the data, and DuckDB to files, cannot be told. */
export function isUnreadStatement({ name, args, named }: Call): boolean {
  if (!statementRunners.test(name)) return false
  const statement = args[0] ?? named.get('query') ?? named.get('sql')
  // A variable of an earlier cell; what a function gave, such as `select(…)`, is no text.
  return statement?.kind === 'unknown' || (statement?.kind === 'thing' && !statement.name.includes('('))
}
const statementRunners =
  /^(duckdb|sqlite3|psycopg2?|asyncpg|pymysql|MySQLdb|pyodbc|oracledb|better-sqlite3|pg|mysql2?)\b.*\.(execute\w*|sql|query|exec|run|fetch\w*)$/

/** Commands that a database is told to start. */
export function programsIn(call: Call): Embedded[] {
  const found: Embedded[] = []
  for (const statement of statementsIn(call.args[0])) {
    const code = program.exec(statement)?.[1]?.replaceAll("''", "'")
    if (code) found.push({ language: 'bash', code, via: call.name, start: call.start, end: call.end })
  }
  return found
}

const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|;/g
const worthALook =
  /\b(insert|update|delete|drop|alter|create|truncate|replace|merge|grant|revoke|upsert|rename|attach|vacuum|outfile|dumpfile|copy|export|backup|xp_cmdshell)\b/i

/** One text may hold many; comments are none, and a semicolon in quotes ends none. */
function statementsIn(value: Value | undefined): string[] {
  const written = sketch(value, '?')
  if (written === null || !worthALook.test(written)) return []
  return written
    .replace(quoted, found => (found === ';' ? '\0' : /^(--|\/\*)/.test(found) ? ' ' : found))
    .split('\0')
    .map(statement => statement.trim())
    .filter(statement => statement !== '')
}

/** Methods of databases without a language that remove or change what is stored. */
export const storeMethods = {
  removing:
    'drop_collection drop_database delete_many delete_one find_one_and_delete drop_all flushall flushdb delete_by_query deleteMany deleteOne findOneAndDelete dropDatabase dropCollection dropTable dropTableIfExists dropSchema flushAll flushDb'.split(
      ' ',
    ),
  changing:
    'update_many update_one replace_one bulk_write find_one_and_update updateMany updateOne replaceOne bulkWrite'.split(
      ' ',
    ),
  adding: 'insert_many insert_one insertMany insertOne'.split(' '),
} as const

/** The method and what it is given, so that a reader sees whether it is all or one. */
export const changesStore: EffectOf = call => {
  const method = call.name.slice(call.name.lastIndexOf('.') + 1)
  const [first] = call.args
  const given = first?.kind === 'map' ? (first.entries.size === 0 && !first.open ? '{}' : '{…}') : (sketch(first) ?? '')
  return [effect('modify', call, text(`${method}(${given})`), { harmless: /^insert/.test(method) })]
}
