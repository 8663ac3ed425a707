import type { ServerConfinement, ServerHealth, ServerTool, ToolEffect } from '../../src/contract/mcp-servers.ts'

export const stateWords: Record<ServerHealth['state'], string> = {
  stopped: 'not running',
  starting: 'starting',
  up: 'running',
  waiting: 'failed, will be tried again',
  'sign-in': 'wants you to log in',
}

export const confinementWords: Record<ServerConfinement['kind'], string> = {
  jail: 'In a jail',
  none: 'Not confined',
  elsewhere: 'Reached over HTTP',
}

export const effectWords: Record<ToolEffect, string> = {
  reads: 'only reads',
  writes: 'changes things',
  destroys: 'may destroy',
}

/** What that is known from. A tool that says nothing of itself may destroy. */
export const wordOf: Record<ToolEffect, string> = {
  reads: 'by its own word',
  writes: 'by its own word',
  destroys: 'it does not say otherwise',
}

export const standingWords: Record<ServerTool['standing'], string> = {
  accepted: 'accepted',
  new: 'new',
  changed: 'changed since you accepted it',
}
