import type { ModelStep } from '../../../src/contract/names.ts'

/** The words of the model for names. */

export const stepWords: Record<ModelStep, string> = {
  files: 'Files',
  model: 'Model',
  trial: 'Trial sentence',
}

const types: Record<string, { one: string; many: string }> = {
  PERSON: { one: 'person', many: 'persons' },
  LOCATION: { one: 'place', many: 'places' },
  ORGANIZATION: { one: 'organisation', many: 'organisations' },
}

export const typeWords = (type: string): string => types[type]?.one ?? type.toLowerCase()

/** What a label of the model counts as here. */
export const labelWords = (type: string | null): string =>
  type === null ? 'not used' : (types[type]?.many ?? type.toLowerCase())
