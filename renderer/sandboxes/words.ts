import type { LiveState } from '../../src/contract/contexts.ts'
import type { ActiveSandbox, ImageSource } from '../../src/contract/images.ts'

export const stateWords: Record<LiveState, string> = {
  none: 'ended',
  warming: 'starting',
  ready: 'ready',
  running: 'running',
  paused: 'paused',
  expired: 'expired',
  error: 'failed',
}

export const sourceWords: Record<ImageSource, string> = {
  registry: 'a registry’s base image',
  debian: 'Debian’s archive',
  installed: 'packages of this machine',
}

export const nameOf = ({ conversation, path }: Pick<ActiveSandbox, 'conversation' | 'path'>): string =>
  conversation && path ? `${conversation} › ${path}` : path || conversation || 'this path'

/** Names of packages as people type them: by spaces, commas or lines, with comments. */
export const packagesIn = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .flatMap(line => line.replace(/#.*/, '').split(/[\s,]+/))
      .filter(Boolean),
  ),
]
