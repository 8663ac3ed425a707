import { fail } from '../../contract/problem.ts'
import { listFolders } from '../../folders.ts'
import { api, unwrap } from './api.ts'

const { folders } = api

export const foldersRouter = {
  choose: folders.choose.handler(async ({ context: { chooseFolder }, input }) => ({
    folder: chooseFolder ? await chooseFolder(input) : await unwrap(noDialog),
  })),
  list: folders.list.handler(({ input: { folder, hidden } }) => unwrap(listFolders(folder, hidden))),
}

const noDialog = fail('request.unknown', 'A browser has no dialog for folders of this machine.', 'Ask for the list.')
