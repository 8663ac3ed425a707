import { type RawBuilder, sql } from 'kysely'

/** Of the rows that a path has of one item, the one that held at a version. */
export const isLatest = (table: 'revisions' | 'executions', until: number): RawBuilder<boolean> => sql<boolean>`
  ${sql.ref(`${table}.version`)} = (
    select max(later.version) from ${sql.table(table)} as later
    where later.path = ${sql.ref(`${table}.path`)} and later.item = ${sql.ref(`${table}.item`)}
      and later.version <= ${until})`
