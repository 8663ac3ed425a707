export interface TestEngine {
  readonly host: string
  /** Stops it, and removes what it left. */
  stop(): Promise<void>
  end(): Promise<void>
  begin(): Promise<boolean>
  restart(): Promise<boolean>
}

export function whyNoEngine(): string | null
export function startEngine(options?: {
  readonly limitMs?: number
  readonly data?: string | undefined
  readonly size?: number
}): Promise<TestEngine | null>
export const keptImages: string
export const buildImage: [string, string[]]
