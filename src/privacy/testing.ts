import type { Passed } from './egress/passed.ts'

/** Stands in for the guard in tests of what comes behind it. */
export const passed = <T>(value: T): Passed<T> => ({ value }) as Passed<T>
