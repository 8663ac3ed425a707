const published =
  /^(?:(?:npm|jsr):|https:\/\/(?:esm\.(?:sh|run)|cdn\.skypack\.dev|unpkg\.com|cdn\.jsdelivr\.net\/npm|deno\.land\/x)\/(?:v\d+\/)?)((?:@[\w.-]+\/)?[\w.-]+)/

/** A library under the name that the tables know, however it is fetched: `npm:execa@8` and `https://esm.sh/execa` are `execa`. */
export function libraryName(module: string): string {
  if (module.startsWith('node:')) return module.slice(5)
  return published.exec(module)?.[1] ?? module
}
