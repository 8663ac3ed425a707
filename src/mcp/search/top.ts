export interface Scored {
  readonly tool: number
  readonly score: number
}

/**
 * The highest scores, best first, without sorting all of them. Equal scores stand in the order of the tools, so that the
 * same question has the same answer. With `above`, only what is higher than it counts.
 */
export function topOf(scores: Float64Array, most: number, above = Number.NEGATIVE_INFINITY): Scored[] {
  const highest: Scored[] = []
  let least = above
  for (let tool = 0; tool < scores.length; tool++) {
    const score = scores[tool] as number
    if (!(score > least)) continue
    let at = highest.length
    while (at > 0 && (highest[at - 1] as Scored).score < score) at--
    highest.splice(at, 0, { tool, score })
    if (highest.length > most) highest.pop()
    if (highest.length === most) least = (highest[most - 1] as Scored).score
  }
  return highest
}
