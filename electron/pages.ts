import { shell } from 'electron'

/** Opens a page in the person's browser. Other schemes start other programs, so they are refused. */
export async function openPage(address: string): Promise<void> {
  const url = new URL(address)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Error('not a page of the web')
  await shell.openExternal(url.href)
}
