declare const passed: unique symbol

/** Data that went through the egress guard. Whatever sends takes this and nothing else; only `guard.ts` makes it. */
export interface Passed<T> {
  readonly value: T
  readonly [passed]: true
}
