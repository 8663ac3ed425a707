import { html, type Markup } from './html.ts'

/** A shape and a word before a colour: readable on any paper and by any eye. */
const shapes: Record<string, string> = { critical: '◆', high: '▲', medium: '■', low: '●' }
export const riskMark = (risk: string): string => (shapes[risk] ? `${shapes[risk]} ${risk}` : risk)
export const riskTag = (risk: string | null): Markup =>
  html`<span class="risk ${risk ?? ''}">${riskMark(risk ?? 'unknown')}</span>`
