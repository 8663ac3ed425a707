import { api, unwrap } from './api.ts'

const { sandboxes } = api

export const sandboxesRouter = {
  overview: sandboxes.overview.handler(({ context: { engine, session } }) => engine.sandboxes.overview(session.caller)),
  images: sandboxes.images.handler(({ context: { engine } }) => engine.sandboxes.images()),
  building: sandboxes.building.handler(({ context: { engine, session } }) => engine.sandboxes.building(session.caller)),
  build: sandboxes.build.handler(async ({ context: { engine, session }, input }) => {
    const { view } = await unwrap(engine.sandboxes.build(session.caller, input))
    return view
  }),
  cancelBuild: sandboxes.cancelBuild.handler(({ context: { engine, session } }) =>
    engine.sandboxes.cancelBuild(session.caller),
  ),
  removeImage: sandboxes.removeImage.handler(({ context: { engine, session }, input: { kind, name } }) =>
    unwrap(engine.sandboxes.removeImage(session.caller, kind, name)),
  ),
}
