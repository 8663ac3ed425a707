import type { Readable, Writable } from 'node:stream'
import type { ParseArgsOptionsConfig } from 'node:util'

/** Exit codes of the terminal door. */
export const exit = { success: 0, failed: 1, usage: 2, refused: 3, unavailable: 4 } as const

/** What a command may touch of the outside; tests hand in their own. */
export interface Io {
  readonly stdin: Readable & { isTTY?: boolean }
  readonly stdout: Writable
  readonly stderr: Writable & { isTTY?: boolean; rows?: number }
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Ctrl+C. */
  readonly signal: AbortSignal
}

export interface Arguments {
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>
  readonly positionals: readonly string[]
}

export interface Command {
  /** What `countersign NAME --help` prints below its line of the overview: usage, options, examples, exit codes. */
  readonly help: string
  readonly options: ParseArgsOptionsConfig
  /** Exit when it could not do its work; 1 unless that means that something was found. */
  readonly failed?: number
  run(args: Arguments, io: Io): Promise<number>
}

/** Thrown for wrong use: printed with a pointer to `--help`, exit 2. */
export class UsageError extends Error {}
