import type { FigureState, FigureValue } from '../../src/contract/figures.ts'
import { dateAndTime } from '../ui/when.ts'

/** A value in one line, for lists and tables. */
export function valueText(value: FigureValue): string {
  switch (value.kind) {
    case 'number':
    case 'text':
      return value.shown
    case 'table':
      return `${value.rows.toLocaleString('en')} × ${value.columns} table`
    case 'chart':
      return 'chart'
  }
}

export const stateText = (state: FigureState): string => (state.kind === 'shown' ? valueText(state.value) : '–')

export const when = (at: number | null): string => (at === null ? 'imported with the notebook' : dateAndTime(at))

/** As many letters of a hash as a person compares by eye. */
export const short = (hash: string): string => `${hash.slice(0, 12)}…`
