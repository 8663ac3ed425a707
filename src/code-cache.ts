import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { cacheFolder, fromSource } from './places.ts'

/**
 * Keeps compiled code between starts; each thread asks for itself, before it loads what is large. The folder is this
 * user's own: in a shared one, such as Node's default, another user could plant code. Without one all works, slower.
 */
export function keepCompiledCode(): void {
  if (!fromSource) enableCompileCache(join(cacheFolder(), 'code'))
}
