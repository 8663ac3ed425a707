import type { Theme } from '../theme.ts'

/** What a framed page may say: how tall it is, and which link was clicked. Anything else is not heard. */
export function readMessage(data: unknown): { height?: number; link?: string } | null {
  if (typeof data !== 'object' || data === null) return null
  const height =
    'height' in data && typeof data.height === 'number' && Number.isFinite(data.height) ? data.height : undefined
  const link = 'link' in data && typeof data.link === 'string' && data.link.length < 2048 ? data.link : undefined
  return {
    ...(height !== undefined && { height: Math.max(0, Math.round(height)) }),
    ...(link !== undefined && { link }),
  }
}

/** Links that may be offered to the person at all. */
export function isWebLink(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(url) && URL.canParse(url)
}

/** Whether a page would do more with its scripts running. The frame decides what runs; this only decides what is asked. */
export const hasScripts = (html: string): boolean => /<script[\s>/]/i.test(html)

/** Plain HTML should look at home: the tables that data frames write, above all. */
export function themeCss(theme: Theme): string {
  return `
:root { color-scheme: ${theme.dark ? 'dark' : 'light'}; }
body { display: flow-root; margin: 0; color: ${theme.ink}; font: 13.5px/1.55 ${theme.fontText}; background: transparent; overflow-wrap: anywhere; }
a { color: ${theme.accent}; }
pre, code, kbd { font-family: ${theme.fontCode}; font-size: 0.94em; }
hr { border: 0; border-top: 1px solid ${theme.line}; }
svg, img { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: 12px; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: 3px 12px; border: 0; text-align: right; }
thead th { border-bottom: 1px solid ${theme.line}; }
tbody tr:nth-child(even) { background: color-mix(in srgb, ${theme.sunken} 70%, transparent); }
th { color: ${theme.inkSoft}; font-weight: 600; }
`
}
