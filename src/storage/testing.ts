import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { ManualClock } from '../clock.testing.ts'
import type { Clock } from '../clock.ts'
import { openStorage, type Storage } from './storage.ts'

/** A real database in a folder of its own, gone when the test is. */
export async function temporaryStorage(clock: Clock = new ManualClock()): Promise<Storage & { file: string }> {
  const folder = temporaryFolder()
  const file = join(folder, 'countersign.db')
  const storage = await openStorage({ file, clock })
  onTestFinished(() => storage.close())
  return { ...storage, file }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
