import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../clock.ts'
import { CellId, ConversationId, PathId, RunId, TenantId, UserId } from '../contract/ids.ts'
import { type Language, Limits, type RunOutcome } from '../contract/run.ts'
import type { Shown } from '../contract/shown.ts'
import { uuidV7 } from '../ids.ts'
import type { ClearedRun } from '../runs/run.ts'
import type { Sandbox } from './sandbox.ts'

export const testIds = uuidV7(systemClock)

export type RunChanges = Partial<ClearedRun> & { limits?: Limits; network?: string[] }

/** A run as the gate would clear it. Only tests may make one like this: the cast is what approval stands for. */
export function clearedRun(language: Language, code: string, changes: RunChanges = {}): ClearedRun {
  return {
    id: testIds.make(RunId),
    tenant: testIds.make(TenantId),
    conversation: testIds.make(ConversationId),
    path: testIds.make(PathId),
    cell: testIds.make(CellId),
    requester: testIds.make(UserId),
    language,
    code,
    args: [],
    env: {},
    createdAt: systemClock.now(),
    ...changes,
    placement: {
      kind: 'local',
      isolation: 'jail',
      image: null,
      environment: null,
      mounts: [],
      network: changes.network ?? [],
      limits: changes.limits ?? Limits.parse({ timeoutMs: 20_000 }),
      aside: false,
      reasons: [],
      warnings: [],
      ...changes.placement,
    },
  } as unknown as ClearedRun
}

export interface Ran extends RunOutcome {
  /** What the sink was given, in order. */
  readonly shown: Shown[]
}

export async function runIn(
  sandbox: Sandbox,
  language: Language,
  code: string,
  changes: RunChanges = {},
): Promise<Ran> {
  const shown: Shown[] = []
  const outcome = await sandbox.run(
    clearedRun(language, code, changes),
    output => void shown.push(output),
    new AbortController().signal,
  )
  return { ...outcome, shown }
}

export const withTimeout = (timeoutMs: number) => ({ limits: Limits.parse({ timeoutMs }) })

export async function temporaryHome(): Promise<{ home: string; remove: () => Promise<void> }> {
  const home = await mkdtemp(join(tmpdir(), 'countersign-test-'))
  return { home, remove: () => rm(home, { recursive: true, force: true }) }
}
