import { useSyncExternalStore } from 'react'

/** The colours and fonts of the theme as they are now, for what cannot read the tokens: frames and charts. */
export interface Theme {
  readonly dark: boolean
  readonly ink: string
  readonly inkSoft: string
  readonly line: string
  readonly raised: string
  readonly sunken: string
  readonly accent: string
  readonly series: readonly string[]
  readonly fontText: string
  readonly fontCode: string
}

const series = ['accent', 'risk-high', 'focus', 'risk-medium', 'risk-critical', 'risk-low', 'ink-soft'] as const

/** The theme, and again whenever it changes. */
export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, readTheme)
}

/** Whether it is the dark one: what was drawn for the other, and is not drawn anew by itself, has to be made again. */
export const useDark = (): boolean => useSyncExternalStore(onThemeChange, isDark)

function onThemeChange(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class', 'style'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', changed)
  return () => {
    observer.disconnect()
    system.removeEventListener('change', changed)
  }
}

let last: Theme | null = null

function readTheme(): Theme {
  const probe = document.body.appendChild(document.createElement('span'))
  probe.hidden = true
  const style = getComputedStyle(probe)
  const colour = (token: string) => {
    probe.style.color = `var(--${token})`
    return style.color
  }
  const now: Theme = {
    dark: isDark(),
    ink: colour('ink'),
    inkSoft: colour('ink-soft'),
    line: colour('line'),
    raised: colour('ground-raised'),
    sunken: colour('ground-sunken'),
    accent: colour('accent'),
    series: series.map(colour),
    fontText: style.getPropertyValue('--font-text').trim() || 'sans-serif',
    fontCode: style.getPropertyValue('--font-code').trim() || 'monospace',
  }
  probe.remove()
  // The same theme must be the same object, or React would draw for ever.
  if (last && JSON.stringify(last) === JSON.stringify(now)) return last
  last = now
  return now
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme
  return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
}
