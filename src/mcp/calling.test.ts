import { expect, it, vi } from 'vitest'
import { ConversationId, PathId, RunId } from '../contract/ids.ts'
import { openHostile, who } from './testing.ts'

async function openRun() {
  const opened = await openHostile('works')
  const { servers, ids } = opened
  const [conversation, path, run] = [ids.make(ConversationId), ids.make(PathId), ids.make(RunId)]
  const calls = servers.callsOf(who, { conversation, path, cell: null, run })
  const call = (n: number) => calls.call({ server: 'it', tool: 'work', arguments: { n } }, 1)
  return { ...opened, conversation, run, calls, call }
}

it('has the calls of a run on the record by its end, and as one departure', async () => {
  const { calls, call, entries, privacy, conversation, run } = await openRun()
  for (let n = 0; n < 5; n++) expect(await call(n)).toMatchObject({ ok: true })
  await calls.end()
  const made = await entries('mcp.called')
  expect(made).toHaveLength(5)
  expect(made).toMatchObject(made.map(() => ({ run, conversation, details: { success: true, ordinal: 1 } })))
  expect(await privacy.departures({ conversation })).toMatchObject([{ to: 'MCP server it', result: 'sent' }])
})

it('has a call that may have changed something on the record before its answer goes back to the code', async () => {
  const { call, entries } = await openRun()
  expect(await call(1)).toMatchObject({ ok: true })
  expect(await entries('mcp.called')).toHaveLength(1)
})

it('sends nothing that a run calls with before it is told that something leaves', async () => {
  const { calls, call, entries, storage } = await openRun()
  const full = vi.spyOn(storage, 'write').mockRejectedValue(new Error('the disk is full'))
  expect(await call(1)).toMatchObject({ ok: false, problem: { code: 'privacy.held' } })
  full.mockRestore()
  await calls.end()
  expect(await entries('mcp.called')).toEqual([])
})

it('gives no answer that cannot be put on the record, makes no more calls, and says so at the end of the run', async () => {
  const { calls, call, storage } = await openRun()
  const { write } = storage
  // What is told before the first call leaves is still written.
  const full = vi.spyOn(storage, 'write').mockImplementationOnce(write)
  full.mockRejectedValue(new Error('the disk is full'))
  expect(await call(1)).toMatchObject({ ok: false })
  full.mockImplementation(write)
  expect(await call(2)).toMatchObject({ ok: false })
  await expect(calls.end()).rejects.toThrow('the disk is full')
})
