import type { PathRef } from '../../contract/contexts.ts'
import type { PathId } from '../../contract/ids.ts'
import { formatCode } from '../../format.ts'
import { api, type DoorContext, unwrap } from './api.ts'

const { runs, sandbox, uploads } = api

export const runsRouter = {
  start: runs.start.handler(async ({ context: { engine, session }, input }) => {
    const { view } = await unwrap(engine.runs.start(session.caller, input))
    return view
  }),
  cancel: runs.cancel.handler(({ context: { engine, session }, input }) => engine.runs.cancel(session.caller, input)),
  output: runs.output.handler(async ({ context: { engine, session }, input: { run, offset, length } }) => {
    const bytes = await unwrap(engine.wholeOutput(session.caller, run, { offset, length }))
    return { data: Buffer.from(bytes).toString('base64'), done: bytes.length < length }
  }),
  keep: runs.keep.handler(({ context: { engine, session }, input: { path, cell, on } }) =>
    unwrap(engine.kept.keep(session.caller, path, cell, on)),
  ),
  kept: runs.kept.handler(({ context: { engine, session } }) => engine.kept.cells(session.caller)),
  live: runs.live.handler(({ context: { engine, session }, input }) => engine.runs.live(session.caller, input)),
  traces: runs.traces.handler(({ context: { engine, session }, input }) => engine.runTraces(session.caller, input)),
  replay: runs.replay.handler(async function* ({ context: { engine, session }, input, signal }) {
    yield* engine.replay(session.caller, input, signal)
  }),
}

export const sandboxRouter = {
  status: sandbox.status.handler(async ({ context, input }) =>
    context.engine.contexts.status(await locate(context, input)),
  ),
  statuses: sandbox.statuses.handler(({ context: { engine, session }, input }) =>
    engine.contexts.statuses(session.caller.tenant, input),
  ),
  interrupt: sandbox.interrupt.handler(async ({ context, input }) =>
    context.engine.contexts.interrupt(await locate(context, input)),
  ),
  narrow: sandbox.narrow.handler(async ({ context, input }) =>
    context.engine.network.narrow(context.session.caller, await locate(context, input.path), input.keep),
  ),
  grants: sandbox.grants.handler(async ({ context, input }) =>
    context.engine.network.grants(await locate(context, input)),
  ),
  fetchFeed: sandbox.fetchFeed.handler(({ context: { engine, session }, input, signal }) =>
    unwrap(engine.feeds.fetch(session.caller, input, signal)),
  ),
  restart: sandbox.restart.handler(async ({ context, input }) =>
    unwrap(context.engine.contexts.restart(await locate(context, input))),
  ),
  end: sandbox.end.handler(async ({ context, input }) =>
    context.engine.contexts.end(await locate(context, input), 'manual', context.session.caller.user),
  ),
  rotate: sandbox.rotate.handler(async ({ context, input }) =>
    context.engine.contexts.end(await locate(context, input), 'rotated', context.session.caller.user),
  ),
  choices: sandbox.choices.handler(({ context }) => context.engine.sandboxes.choices()),
  move: sandbox.move.handler(({ context: { engine, session }, input }) =>
    unwrap(engine.sandboxes.move(session.caller, input)),
  ),
  variables: sandbox.variables.handler(async ({ context, input }) =>
    unwrap(context.engine.contexts.variables(await locate(context, input.path), input.language)),
  ),
  complete: sandbox.complete.handler(async ({ context, input }) =>
    unwrap(
      context.engine.contexts.complete(await locate(context, input.path), input.language, input.code, input.offset),
    ),
  ),
  hover: sandbox.hover.handler(async ({ context, input }) =>
    unwrap(context.engine.contexts.hover(await locate(context, input.path), input.language, input.code, input.offset)),
  ),
  table: sandbox.table.handler(async ({ context, input }) =>
    unwrap(context.engine.contexts.table(await locate(context, input.path), input.language, input.name, input.from)),
  ),
  format: sandbox.format.handler(({ input }) => formatCode(input.language, input.code)),
  usage: sandbox.usage.handler(async ({ context, input }) =>
    unwrap(context.engine.contexts.usage(await locate(context, input))),
  ),
  files: sandbox.files.handler(async ({ context, input: { path, folder } }) =>
    unwrap((await filesOf(context, path)).list(folder)),
  ),
  readFile: sandbox.readFile.handler(async ({ context, input: { path, file, offset, length } }) => {
    const bytes = await unwrap((await filesOf(context, path)).read(file, { offset, length }))
    return { data: Buffer.from(bytes).toString('base64'), done: bytes.length < length }
  }),
  writeFile: sandbox.writeFile.handler(async ({ context, input: { path, file, upload } }) => {
    const files = await filesOf(context, path)
    const { bytes } = await unwrap(context.session.uploads.take(upload))
    await unwrap(files.write(file, bytes))
  }),
  removeFile: sandbox.removeFile.handler(async ({ context, input: { path, file } }) =>
    unwrap((await filesOf(context, path)).remove(file)),
  ),
}

export const uploadsRouter = {
  begin: uploads.begin.handler(({ context: { session }, input }) => unwrap(session.uploads.begin(input))),
  piece: uploads.piece.handler(({ context: { session }, input }) =>
    unwrap(session.uploads.add(input.upload, Buffer.from(input.data, 'base64'))),
  ),
}

const filesOf = ({ engine, session }: DoorContext, path: PathId) => unwrap(engine.files(session.caller, path))

async function locate({ engine, session }: DoorContext, path: PathId): Promise<PathRef> {
  const conversation = await unwrap(engine.conversations.locate(session.caller, path))
  return { tenant: session.caller.tenant, conversation, path }
}
