import Sqlite from 'better-sqlite3'

/** Who finds a change to a column: the check of the record, the gate before a run, or nobody, and why that is so. */
type Finder = 'verify' | 'gate' | { readonly nobody: string }
interface TableClass {
  readonly all: Finder
  /** Columns that differ from the rest. */
  readonly but?: Readonly<Record<string, Finder>>
}

const nobody = (why: string): Finder => ({ nobody: why })
const work = nobody(
  'the work itself, which its owner may edit; what ran is on the record by hash, and is approved by it',
)
const live = nobody('state of something under way; what it did, and how it ended, is on the record')
const searching = nobody('finds texts and is made from them; no report or decision reads it')
const clock = nobody('when a row was written, for sorting; the record has its own time')
const shown = nobody('made from the code for the queue; the dialog shows the code itself, which is checked')

/**
 * Every table there is. A new one fails the mutation run until somebody says here who finds a change to it. What a
 * report or a decision rests on has no `nobody`, but for columns that neither reads.
 */
export const tableClasses: Readonly<Record<string, TableClass>> = {
  audit_entries: { all: 'verify' },
  audit_bodies: { all: 'verify' },
  audit_personal: { all: 'verify' },
  audit_checkpoints: { all: 'verify' },
  audit_index: { all: 'verify' },
  audit_kinds: { all: 'verify' },
  audit_references: { all: 'verify' },
  audit_tiles: { all: 'verify' },
  audit_text: { all: searching },
  audit_text_config: { all: searching },
  audit_text_data: { all: searching },
  audit_text_docsize: { all: searching, but: { id: 'verify' } },
  audit_text_idx: { all: searching },
  identities: { all: 'verify', but: { created_at: clock } },
  identity_vouches: { all: 'verify' },
  policies: {
    all: 'verify',
    but: {
      id: clock,
      adopted_at: clock,
      adopted_by: nobody('the record names who changed the policy'),
      seal: nobody('a row without its seal was never in force'),
    },
  },
  approval_requests: {
    all: 'gate',
    but: {
      run: nobody('names the run that asked first; the run that uses the decision is on the record with it'),
      matter: nobody('finds a request that asks the same; what it finds is checked against its signed subject'),
      decided_at: 'verify',
      created_at: clock,
      dialog_until: nobody('when the dialog closes, which only saves the request for later'),
      note: nobody('a sentence for people about why a request ended; the record has the reason'),
    },
  },
  approval_revisions: {
    all: 'gate',
    but: { created_at: clock, title: shown, findings: shown },
  },
  approval_comments: { all: 'verify', but: { id: clock, created_at: clock } },
  conversations: { all: work },
  paths: { all: work },
  items: { all: work },
  texts: { all: work },
  revisions: { all: work },
  executions: { all: work },
  outputs: { all: work },
  edits: { all: work },
  merges: { all: work },
  drafts: { all: work },
  text_search: { all: searching },
  text_search_config: { all: searching },
  text_search_data: { all: searching },
  text_search_docsize: { all: searching },
  text_search_idx: { all: searching },
  output_search: { all: searching },
  output_search_config: { all: searching },
  output_search_data: { all: searching },
  output_search_docsize: { all: searching },
  output_search_idx: { all: searching },
  figures: {
    all: nobody('a report takes no figure that the record does not tell of so, and checks its output’s hash'),
  },
  file_manifests: { all: work },
  path_files: { all: work },
  run_files: { all: work },
  environments: {
    all: nobody('sealed with a key outside the database: a changed row names no interpreter'),
  },
  conversation_environments: { all: nobody('what a run was given stands on the record, by name and digest') },
  tool_results: { all: nobody('what a replay is answered with; a result counts only with the hash on the record') },
  kept_cells: { all: work },
  series: { all: live },
  kept_results: { all: nobody('sealed with a key outside the database: a changed row is never shown') },
  contexts: { all: live },
  cloud_consents: { all: 'verify', but: { seal: nobody('a row without its seal is no consent') } },
  cloud_stretches: {
    all: nobody('sealed: where one is missing, the times of the record count'),
  },
  workflows: { all: nobody('sealed, but for who carries it out: one that was changed goes no further') },
  workflow_graphs: { all: nobody('sealed: where it was changed, the text of the workflow is read again') },
  workflow_tasks: { all: nobody('sealed: a workflow with a changed task goes no further') },
  chat_conversations: { all: nobody('what is confidential is so by the row or by the record, whichever says it') },
  chat_parts: { all: work },
  chat_providers: { all: nobody('sealed with a key outside the database: a changed row is no provider') },
  chat_requests: { all: nobody('sealed: a request without its row counts as the most that it may have cost') },
  chat_turns: { all: live },
  vault_tokens: { all: nobody('sealed with a key outside the database: a changed value does not open') },
  mcp_tools: { all: nobody('sealed with a key outside the database: a changed row is no acceptance') },
  departures: { all: nobody('a list for people; the same departures are on the record') },
  allowed: { all: nobody('sealed with a key outside the database: a changed row allows nothing') },
  facts: { all: nobody('who the local user is: the key store has the last word') },
  migrations: { all: nobody('which migrations ran; a wrong list keeps the database from opening') },
}

export interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
}

/** All columns of all tables, as the database itself lists them. */
export const allColumns = (db: Sqlite.Database): Column[] =>
  db
    .prepare(
      `select m.name as "table", p.name as "column", p.type as type
      from sqlite_master m, pragma_table_info(m.name) p where m.type = 'table' order by m.name, p.cid`,
    )
    .all() as Column[]

export const finderOf = ({ table, column }: Column): Finder | undefined =>
  tableClasses[table]?.but?.[column] ?? tableClasses[table]?.all

/** The database as somebody opens it who edits the file: no guard and no check stops them. */
export function openToEdit(file: string): Sqlite.Database {
  const db = new Sqlite(file).unsafeMode()
  db.pragma('foreign_keys = off')
  db.pragma('ignore_check_constraints = on')
  const triggers = db.prepare("select name from sqlite_master where type = 'trigger'").all() as { name: string }[]
  for (const { name } of triggers) db.exec(`drop trigger ${name}`)
  return db
}

/**
 * Changes a column of one row after the other, and puts each back. Returns how many were changed, and those that
 * `found` did not find. Without `every`: the first row, the middle one and the last.
 */
export async function mutate(
  db: Sqlite.Database,
  column: Column,
  { every, found }: { every: boolean; found: () => Promise<boolean> },
): Promise<{ changed: number; missed: string[] }> {
  const { table } = column
  const keys = db.prepare(`select name from pragma_table_info('${table}') where pk > 0`).pluck().all() as string[]
  const rows = db
    .prepare(`select ${keys.join(', ')} from ${table}`)
    .raw()
    .all() as unknown[][]
  const chosen = every ? rows : [...new Set([rows[0], rows[Math.floor(rows.length / 2)], rows.at(-1)])]
  const missed: string[] = []
  let changed = 0
  for (const key of chosen) {
    if (!key) continue
    db.exec(`create temp table before_change as select * from main.${table}`)
    const where = keys.map(name => `${name} = ?`).join(' and ')
    changed += db
      .prepare(`update ${table} set ${column.column} = ${otherValue(column)} where ${where}`)
      .run(...key).changes
    if (!(await found())) missed.push(`${table}.${column.column} of ${JSON.stringify(key)}`)
    db.exec(`delete from ${table}; insert into ${table} select * from before_change; drop table before_change`)
  }
  return { changed, missed }
}

/** Another value of the same type and length. */
function otherValue({ column, type }: Column): string {
  if (/int/i.test(type)) return `coalesce(${column}, 0) + 1000003`
  if (/blob/i.test(type)) return `zeroblob(coalesce(length(${column}), 32))`
  return `case when ${column} is null then 'x' else iif(substr(${column}, 1, 1) = '0', '1', '0') || substr(${column}, 2) end`
}
