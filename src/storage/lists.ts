import { type RawBuilder, sql } from 'kysely'

/** A list of values as one parameter: thousands cost no more to prepare than one. For use as `where('id', 'in', listOf(ids))`. */
export function listOf<T extends string | number>(values: readonly T[]): RawBuilder<T> {
  return sql<T>`(select value from json_each(${JSON.stringify(values)}))`
}
