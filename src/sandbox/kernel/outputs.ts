import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunId } from '../../contract/ids.ts'
import type { ClearedRun } from '../../runs/run.ts'
import type { CutPlace } from '../room.ts'
import type { OutputRange, OutputSink } from '../sandbox.ts'
import { Recorder } from './recorder.ts'

export interface OutputOptions {
  readonly home: string
  /** Where what a run printed may be cut; without it anywhere. */
  readonly cutPlace?: CutPlace
}

/** Where back ends whose frames pass through this process keep outputs that are too long for the record, by run. */
export class OutputFolder {
  readonly #folder: string
  readonly cutPlace: CutPlace

  constructor({ home, cutPlace = async (_, at) => at }: OutputOptions) {
    this.#folder = join(home, 'outputs')
    this.cutPlace = cutPlace
  }

  recorder({ id, placement }: ClearedRun, sink: OutputSink): Recorder {
    return new Recorder(sink, placement.limits.outputChars, this.#fileOf(id), this.cutPlace)
  }

  /** A piece of all that a run printed; null when it is not kept, or not any more. */
  async read(run: RunId, { offset, length }: OutputRange): Promise<Uint8Array | null> {
    const file = await open(this.#fileOf(run)).catch(() => null)
    if (!file) return null
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }

  #fileOf(run: RunId): string {
    return join(this.#folder, `${run}.txt`)
  }
}
