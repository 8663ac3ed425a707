import type { AppInfo } from '../../contract/rpc/app.ts'
import type { Engine } from '../../engine/engine.ts'
import type { DoorContext } from './api.ts'
import { type Channel, serveChannel } from './channel.ts'
import { router } from './router.ts'
import { Session } from './session.ts'

/** Gives one window its session and answers it until its line ends. */
export function serveWindow(
  engine: Engine,
  channel: Channel,
  door: AppInfo['door'],
  {
    chooseFolder = null,
    openPage = null,
    windows = null,
    mcpDoor = null,
  }: Partial<Pick<DoorContext, 'chooseFolder' | 'openPage' | 'windows' | 'mcpDoor'>> = {},
): void {
  const session = new Session(engine)
  channel.onClose(() => session.end())
  serveChannel(router, channel, { engine, session, door, chooseFolder, openPage, windows, mcpDoor }, engine.log)
}
