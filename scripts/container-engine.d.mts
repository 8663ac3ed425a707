import type { ChildProcess, SpawnOptions } from 'node:child_process'

export interface TestEngine {
  readonly host: string
  /** Stops it, and removes what it left. */
  stop(): Promise<void>
  end(): Promise<void>
  begin(): Promise<boolean>
  restart(): Promise<boolean>
  beside(program: string, args: readonly string[], options: SpawnOptions): ChildProcess
}

export function whyNoEngine(): string | null
export function whyNoRegistry(): string | null
export function gvisor(): { readonly runtimes?: Record<string, unknown> }
export function startEngine(options?: {
  readonly limitMs?: number
  readonly data?: string | undefined
  readonly size?: number
  readonly settings?: Record<string, unknown>
}): Promise<TestEngine | null>
export const keptImages: string
export const buildImage: [string, string[]]
