import type { MimeBundle } from '../../src/contract/run.ts'

/** The ways in which a form of a display can be shown. */
export const views = [
  'analysis',
  'chart',
  'table',
  'csv',
  'html',
  'svg',
  'markdown',
  'image',
  'json',
  'text',
  'file',
] as const
export type View = (typeof views)[number]

export interface Form {
  readonly mime: string
  readonly view: View
  /** What a person would call it. */
  readonly label: string
  readonly value: MimeBundle[string]
}

/** From the richest to the plainest; the first that fits a type decides how it is shown. */
const known: readonly { readonly fits: RegExp; readonly view: View; readonly label: string }[] = [
  { fits: /^application\/vnd\.countersign\.analysis\+json$/, view: 'analysis', label: 'Analysis' },
  { fits: /^application\/vnd\.vegalite\.v[4-6](\.\d+)*\+json$/, view: 'chart', label: 'Chart' },
  { fits: /^application\/vnd\.dataresource\+json$/, view: 'table', label: 'Table' },
  { fits: /^text\/html$/, view: 'html', label: 'HTML' },
  { fits: /^text\/markdown$/, view: 'markdown', label: 'Markdown' },
  { fits: /^image\/(png|jpeg|gif|webp)$/, view: 'image', label: 'Image' },
  { fits: /^image\/svg\+xml$/, view: 'svg', label: 'Drawing (SVG)' },
  { fits: /^text\/csv$/, view: 'csv', label: 'Table (CSV)' },
  { fits: /^application\/json$/, view: 'json', label: 'JSON' },
  { fits: /^text\/latex$/, view: 'text', label: 'LaTeX source' },
  { fits: /^text\/plain$/, view: 'text', label: 'Plain text' },
  { fits: /^application\/([\w.+-]+\+)?json$/, view: 'json', label: 'JSON' },
  { fits: /^text\//, view: 'text', label: 'Text' },
]

/** All forms of a display, the richest first. A type that nobody knows comes last: it can still be saved. */
export function formsOf(bundle: MimeBundle): Form[] {
  const forms = Object.entries(bundle).map(([mime, value]): Form & { rank: number } => {
    const essence = mime.toLowerCase().split(';')[0]?.trim() ?? ''
    const rank = known.findIndex(kind => kind.fits.test(essence))
    const kind = known[rank]
    if (!kind) return { mime: essence, view: 'file', label: essence, value, rank: known.length }
    // Two kinds that share a name are told apart by their type.
    const label = kind.label === 'JSON' && essence !== 'application/json' ? essence : kind.label
    return { mime: essence, view: kind.view, label, value, rank }
  })
  return forms.sort((a, b) => a.rank - b.rank).map(({ rank: _, ...form }) => form)
}

/** Text of a form. Notebooks may keep it as a list of lines; anything else is written as JSON. */
export function textOf(value: MimeBundle[string]): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every(line => typeof line === 'string')) return value.join('')
  return JSON.stringify(value, null, 2)
}

const extensions: Record<string, string> = {
  'text/plain': 'txt',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/csv': 'csv',
  'text/latex': 'tex',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'application/pdf': 'pdf',
}

/** A name for the saved file, made of nothing that the output could choose. */
export function fileName(mime: string): string {
  return `output.${extensions[mime] ?? (mime.endsWith('json') ? 'json' : mime.startsWith('text/') ? 'txt' : 'bin')}`
}

/** The bytes to save: binary kinds travel as base64. */
export function toBlob(form: Form): Blob {
  const text = textOf(form.value)
  const isText = /^text\/|json$|xml$/.test(form.mime)
  const bytes = isText ? null : fromBase64(text)
  return new Blob([bytes ?? text], { type: form.mime })
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text.replace(/\s+/g, '')), char => char.charCodeAt(0))
  } catch {
    return null
  }
}
