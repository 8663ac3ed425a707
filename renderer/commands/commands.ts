import { useEffect, useRef } from 'react'
import { type CommandId, type CommandInfo, commands } from '../../src/contract/commands.ts'
import { showProblem } from '../state/toasts.ts'

type Handler = () => unknown

/** What the commands do right now. A view that is mounted later covers an earlier one's handler until it goes. */
const handlers = new Map<CommandId, Handler[]>()

export const commandInfo = (id: CommandId): CommandInfo => commands[id]
export const isAvailable = (id: CommandId): boolean => (handlers.get(id)?.length ?? 0) > 0

export function runCommand(id: CommandId): boolean {
  const handler = handlers.get(id)?.at(-1)
  if (!handler) return false
  Promise.resolve().then(handler).catch(showProblem)
  return true
}

/** Says what a command does for as long as the component is there; `null` leaves it to others. */
export function useCommand(id: CommandId, handler: Handler | null): void {
  const latest = useRef(handler)
  latest.current = handler
  const active = handler !== null
  useEffect(() => {
    if (!active) return
    const call: Handler = () => latest.current?.()
    handlers.set(id, [...(handlers.get(id) ?? []), call])
    return () => {
      handlers.set(
        id,
        (handlers.get(id) ?? []).filter(each => each !== call),
      )
    }
  }, [id, active])
}
