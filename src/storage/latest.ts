import { type RawBuilder, sql } from 'kysely'

/** What a path has several rows of, by table. */
const subjects = { revisions: 'item', executions: 'item', figures: 'figure' } as const

/** Of the rows that a path has of one item or figure, the one that held at a version. */
export const isLatest = (table: keyof typeof subjects, until: number): RawBuilder<boolean> => sql<boolean>`
  ${sql.ref(`${table}.version`)} = (
    select max(later.version) from ${sql.table(table)} as later
    where later.path = ${sql.ref(`${table}.path`)}
      and later.${sql.ref(subjects[table])} = ${sql.ref(`${table}.${subjects[table]}`)}
      and later.version <= ${until})`
