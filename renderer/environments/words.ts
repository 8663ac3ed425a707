import type { EnvironmentKind } from '../../src/contract/environments.ts'

export const kindWords: Record<EnvironmentKind, string> = {
  system: 'installed on this machine',
  venv: 'virtual environment',
  uv: 'virtual environment of uv',
  conda: 'conda environment',
}
