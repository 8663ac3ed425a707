import { createRouterClient, ORPCError } from '@orpc/server'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../storage/testing.ts'
import type { ChooseFolder, DoorContext } from './api.ts'
import { foldersRouter } from './folders.ts'

/** Folders are nobody's but this machine's: no engine is asked about them. */
function door(chooseFolder: ChooseFolder | null) {
  const context = { chooseFolder } as DoorContext
  return createRouterClient(foldersRouter, { context })
}
const codeOf = (call: Promise<unknown>) =>
  call.catch(error => (error instanceof ORPCError ? (error.data?.code ?? error.code) : error))

describe('the way to a folder', () => {
  it('is the dialog of the system, with what it was asked, where the door has one', async () => {
    const asked: unknown[] = []
    const { choose } = door(async request => {
      asked.push(request)
      return '/models/ner'
    })
    expect(await choose({ title: 'Names model', from: '/models' })).toEqual({ folder: '/models/ner' })
    expect(asked).toEqual([{ title: 'Names model', from: '/models' }])
    expect(await door(async () => null).choose({ title: 'Names model', from: '' })).toEqual({ folder: null })
  })

  it('is the list where it has none', async () => {
    const { choose, list } = door(null)
    expect(await codeOf(choose({ title: 'Names model', from: '' }))).toBe('request.unknown')
    const folder = temporaryFolder()
    expect(await list({ folder, hidden: false })).toMatchObject({ path: folder, folders: [] })
    expect(await codeOf(list({ folder: `${folder}/nowhere`, hidden: false }))).toBe('not-found')
  })

  it('takes nothing that the contract does not know', async () => {
    const { choose, list } = door(async () => '/x')
    expect(await codeOf(choose({ title: '', from: '' }))).toBe('BAD_REQUEST')
    expect(await codeOf(list({ folder: 'x'.repeat(5000), hidden: false }))).toBe('BAD_REQUEST')
  })
})
