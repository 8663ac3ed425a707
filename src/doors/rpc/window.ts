import type { AppInfo } from '../../contract/rpc/app.ts'
import type { Engine } from '../../engine.ts'
import type { ChooseFolder } from './api.ts'
import { type Channel, serveChannel } from './channel.ts'
import { router } from './router.ts'
import { Session } from './session.ts'

/** Gives one window its session and answers it until its line ends. */
export function serveWindow(
  engine: Engine,
  channel: Channel,
  door: AppInfo['door'],
  chooseFolder: ChooseFolder | null = null,
): void {
  const session = new Session(engine)
  channel.onClose(() => session.end())
  serveChannel(router, channel, { engine, session, door, chooseFolder }, engine.log)
}
