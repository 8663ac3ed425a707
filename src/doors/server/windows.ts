import type { DoorWindows } from '../rpc/api.ts'
import type { Access, WindowSession } from './access.ts'

/** What one window may know and do about the sessions of this door. */
export function windowsOf(access: Access, own: WindowSession, link: () => string): DoorWindows {
  return {
    link,
    list: () => access.sessions.map(each => ({ since: each.since, lastUsed: each.lastUsed, own: each === own })),
    end(which) {
      const ended = access.sessions.filter(each => (which === 'own') === (each === own))
      for (const session of ended) session.end()
      return ended.length
    },
  }
}
