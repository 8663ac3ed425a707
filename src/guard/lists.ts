/**
 * What `map` does, into an array like all others. Once the compiler has built `map` into its caller, what comes out is
 * an array of another kind; all code that has met the first kind only is then thrown away and compiled again.
 */
export function listOf<From, To>(items: Iterable<From>, make: (item: From) => To): To[] {
  const made: To[] = []
  for (const item of items) made.push(make(item))
  return made
}
