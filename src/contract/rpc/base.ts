import { oc } from '@orpc/contract'
import { Problem } from '../problem.ts'

/** Every procedure can fail with a `Problem`: a code, a sentence for a person, a hint. */
export const procedure = oc.errors({ PROBLEM: { status: 400, data: Problem } })

/** A message larger than this is refused by every door; larger things travel in pieces. */
export const maxMessageBytes = 8 * 1024 * 1024
