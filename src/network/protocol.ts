import { z } from 'zod'
import { NetworkRequest } from '../contract/network.ts'

/** What the application and the process with the proxy say to each other. */

/** Random, in hex: who may speak for a session. */
export const tokenBytes = 48

const token = z.string().length(tokenBytes)

export const ToProxy = z.discriminatedUnion('type', [
  /** Opens the session, or changes what it is granted. */
  z.object({ type: z.literal('rules'), id: z.number(), token, rules: z.array(z.string()) }),
  /** The run is over: takes all grants away, and what is open with them. */
  z.object({ type: z.literal('rest'), token }),
  z.object({ type: z.literal('end'), token }),
  /** Answered when all that came before is done and all that was logged before has been told. */
  z.object({ type: z.literal('sync'), n: z.number() }),
])
export type ToProxy = z.infer<typeof ToProxy>

export const FromProxy = z.discriminatedUnion('type', [
  z.object({ type: z.literal('listening') }),
  z.object({ type: z.literal('log'), id: z.number(), entry: NetworkRequest }),
  z.object({ type: z.literal('synced'), n: z.number() }),
])
export type FromProxy = z.infer<typeof FromProxy>
