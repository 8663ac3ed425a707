/** Markup that is safe to put into a page. Only `html` makes it, and it escapes everything that is not markup already. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | number | null | undefined | false | readonly Part[]

export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(strings.reduce((text, string, at) => text + written(parts[at - 1] ?? null) + string))
}

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map(written).join('')
  return visible(String(part)).replace(/[&<>"']/g, each => entities[each] ?? each)
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** On paper a character that cannot be seen, or that turns the text around, must be seen for what it is. */
export function visible(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g,
    each => `⟦U+${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟧`,
  )
}

export const number = (value: number): string => Math.round(value).toLocaleString('en-GB')
export const counted = (count: number, one: string): string => `${number(count)} ${one}${count === 1 ? '' : 's'}`
export const bytes = (value: number): string =>
  value >= 2 ** 30
    ? `${(value / 2 ** 30).toFixed(1)} GB`
    : value >= 2 ** 20
      ? `${Math.round(value / 2 ** 20)} MB`
      : `${Math.round(value / 1024)} KB`
export const duration = (ms: number): string =>
  ms >= 60_000 ? `${(ms / 60_000).toFixed(1)} min` : ms >= 1000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.round(ms)} ms`
export const moment = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
export const day = (at: number): string =>
  new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
export const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.round((part / whole) * 100)} %`
