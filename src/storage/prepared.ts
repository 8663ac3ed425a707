import type { Compilable, CompiledQuery, Insertable, Kysely } from 'kysely'
import type { Database } from './database.ts'

type Db = Kysely<Database>

/** Stands for a value while a query is built. */
class Place {
  readonly index: number
  constructor(index: number) {
    this.index = index
  }
}

/**
 * A query that is built once and run with other values each time. For what an assistant's first word waits for: to
 * build a small query takes longer than to run it. `build` must not look at the values it is given.
 */
export function prepared<Values extends readonly unknown[], Row>(
  build: (db: Db, ...values: Values) => Compilable<Row>,
): (db: Db, ...values: Values) => Promise<Row[]> {
  let compiled: CompiledQuery<Row> | null = null
  return async (db, ...values) => {
    compiled ??= build(db, ...(values.map((_, index) => new Place(index)) as unknown as Values)).compile()
    const parameters = compiled.parameters.map(each => (each instanceof Place ? values[each.index] : each))
    return (await db.executeQuery<Row>({ ...compiled, parameters })).rows
  }
}

const inserts = new Map<string, CompiledQuery>()

/** Inserts one row, by a statement that is built once for a table and its columns. */
export async function insertRow<Table extends keyof Database & string>(
  db: Db,
  table: Table,
  row: Insertable<Database[Table]>,
): Promise<void> {
  // The builder leaves out what is undefined as well.
  const given = Object.entries(row).filter(([, value]) => value !== undefined)
  const which = `${table} ${given.map(([column]) => column).join(' ')}`
  const compiled = inserts.get(which) ?? db.insertInto(table).values(row).compile()
  inserts.set(which, compiled)
  await db.executeQuery({ ...compiled, parameters: given.map(([, value]) => value) })
}
