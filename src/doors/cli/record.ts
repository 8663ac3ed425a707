import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openCatalogue, textsOf } from '../../analyses/analyses.ts'
import { type Audit, createAudit } from '../../audit/audit.ts'
import { systemClock } from '../../clock.ts'
import { Failure } from '../../contract/problem.ts'
import type { Caller } from '../../conversations/conversations.ts'
import { callerInDatabase, localCaller } from '../../identity.ts'
import { uuidV7 } from '../../ids.ts'
import { fileKeyStore, type KeyStore } from '../../keystore.ts'
import { homeFolder } from '../../places.ts'
import { openStorage, type Storage } from '../../storage/storage.ts'
import type { Io } from './command.ts'

export interface OpenRecord {
  readonly home: string
  readonly storage: Storage
  readonly keys: KeyStore
  readonly caller: Caller
  /** Why the record can be read but not written to, e.g. that its keys are sealed by the desktop application. */
  readonly audit: Audit | Failure
}

/** Opens the record alone, without the engine around it: for looking at it, also when it is damaged. */
export async function withRecord<T>(io: Io, use: (record: OpenRecord) => Promise<T>): Promise<T> {
  const home = homeFolder(io.env)
  const file = join(home, 'countersign.db')
  if (!existsSync(file)) {
    throw new Failure('not-found', `There is no record in ${home}.`, 'Set COUNTERSIGN_HOME to the folder that has one.')
  }
  const storage = await openStorage({ file, clock: systemClock })
  const ids = uuidV7(systemClock)
  let audit: Audit | Failure | null = null
  try {
    const keys = fileKeyStore(join(home, 'keys'))
    const caller = await localCaller(storage, keys, ids).catch(error => {
      if (error instanceof Failure) return callerInDatabase(storage, ids)
      throw error
    })
    const { tenant } = caller
    const catalogue = openCatalogue(home)
    audit = await createAudit({
      ...{ storage, keys, clock: systemClock, ids, folder: home, tenant },
      textsOf: named => textsOf(catalogue, named),
    }).catch(asFailure)
    return await use({ home, storage, keys, caller, audit })
  } finally {
    if (audit && !(audit instanceof Failure)) await audit.close()
    await storage.close()
  }
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const message = error instanceof Error ? error.message : String(error)
  return new Failure(
    'storage.corrupt',
    `The record cannot be opened for writing: ${message}`,
    'It can still be verified.',
  )
}
