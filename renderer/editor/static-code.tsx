import { useEffect, useState } from 'react'
import { useDark } from '../output/theme.ts'
import styles from './code-editor.module.css'

/** Code to look at: coloured by Monaco once it is there, without the weight of a live editor. */
export function StaticCode({
  text,
  language,
  mistake = null,
  onPoint,
}: {
  text: string
  language: string
  /** A line that cannot be read. */
  mistake?: number | null
  onPoint(x: number, y: number): void
}) {
  const html = useColoured(text, language)
  const lines = text.split('\n').length
  // Lines that run out of sight can be scrolled by keyboard too; short code is no stop on the way.
  const focusable = text.split('\n').some(line => line.length > 60) ? 0 : undefined
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter on the cell edits it, by its command
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div
      className={styles.static}
      onClick={event => {
        // The cell around it would take the same click for a mere selection.
        event.stopPropagation()
        onPoint(event.clientX, event.clientY)
      }}
    >
      {mistake !== null && <span className={styles.band} style={{ top: 8 + (mistake - 1) * 19.5 }} aria-hidden />}
      <div className={styles.numbers} aria-hidden>
        {Array.from({ length: lines }, (_, index) => index + 1).join('\n')}
      </div>
      {html === null ? (
        <pre className={styles.code} tabIndex={focusable}>
          {text || ' '}
        </pre>
      ) : (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: Monaco escapes the text and adds only its own class names
        <pre className={styles.code} tabIndex={focusable} dangerouslySetInnerHTML={{ __html: html }} />
      )}
    </div>
  )
}

/** Colouring the same text again, when a cell scrolls back into sight, costs nothing. */
const coloured = new Map<string, string>()

function useColoured(text: string, language: string): string | null {
  // The classes that Monaco writes into a text mean other colours in another theme.
  const key = `${useDark()}\n${language}\n${text}`
  const [html, setHtml] = useState(() => coloured.get(key) ?? null)
  useEffect(() => {
    const known = coloured.get(key)
    setHtml(known ?? null)
    if (known !== undefined || text === '') return
    let gone = false
    void import('./monaco.ts').then(async ({ monaco, editorLanguage, followTheme }) => {
      followTheme()
      const made = await monaco.editor.colorize(text, editorLanguage(language), { tabSize: 4 })
      // The theme may have changed meanwhile: these would be remembered as the colours of the other.
      if (gone) return
      if (coloured.size > 2000) coloured.clear()
      coloured.set(key, made)
      setHtml(made)
    })
    return () => {
      gone = true
    }
  }, [key, text, language])
  return text === '' ? null : html
}
