import { sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/**
 * Runs that the compiler rejected have a result of their own. Only the index is changed, which follows from the
 * entries; they stay as they are.
 */
export const syntaxResults: Migration = {
  name: '0038-syntax-results',
  async up(db) {
    await sql.raw('create temp table mistyped (seq integer primary key, kind integer not null) strict').execute(db)
    await sql
      .raw(`insert into mistyped select seq, kind
        from audit_kinds join audit_index indexed by audit_by_kind using (kind) join audit_entries using (seq)
        where (action = 'run.refused' and result = 'refused'
            and case when json_valid(entry) then entry ->> '$.details.code' end = 'run.syntax')
          or (action = 'run.finished' and result = 'failure'
            and case when json_valid(entry) then entry ->> '$.details.error.kind' end = 'syntax')`)
      .execute(db)
    await sql
      .raw(`insert or ignore into audit_kinds (action, risk, result, sandbox)
        select distinct action, risk, 'syntax', sandbox from mistyped join audit_kinds using (kind)`)
      .execute(db)
    await sql
      .raw(`update audit_index set kind = (${other("'syntax'")}) where seq in (select seq from mistyped)`)
      .execute(db)
    await sql.raw('drop table mistyped').execute(db)
  },
  async down(db) {
    const former = "case was.action when 'run.refused' then 'refused' else 'failure' end"
    await sql
      .raw(`insert or ignore into audit_kinds (action, risk, result, sandbox)
        select action, risk, ${former}, sandbox from audit_kinds as was where result = 'syntax'`)
      .execute(db)
    const kinds = "select kind from audit_kinds where result = 'syntax'"
    await sql.raw(`update audit_index set kind = (${other(former)}) where kind in (${kinds})`).execute(db)
    await sql.raw("delete from audit_kinds where result = 'syntax'").execute(db)
  },
}

/** The kind that is like that of a row of the index but for its result. */
const other = (result: string) => `select one.kind from audit_kinds as was join audit_kinds as one
  on one.action = was.action and one.risk is was.risk and one.sandbox is was.sandbox and one.result = ${result}
  where was.kind = audit_index.kind`
