import type { editor } from 'monaco-editor'
import { useEffect, useRef, useState } from 'react'
import type { ApprovalRequest } from '../../src/contract/approval.ts'
import { visible } from '../../src/contract/visible.ts'
import styles from './code-view.module.css'
import { decorationsOf, editorOptions } from './decorations.ts'
import { marksOf } from './marks.ts'

interface CodeViewProps {
  readonly request: Pick<ApprovalRequest, 'id' | 'code' | 'language' | 'inspection' | 'reasons'>
  /** What the reviewer makes of the code; null while they only look. */
  readonly edited: string | null
  /** A line to show, and a number that grows with each wish to see it. */
  readonly goTo: { line: number; wish: number } | null
  onEdit(code: string): void
}

/** The whole code with what was found on its lines, and everything that hides made visible. */
export function CodeView({ request, edited, goTo, onEdit }: CodeViewProps) {
  const box = useRef<HTMLDivElement>(null)
  const [live, setLive] = useState<editor.IStandaloneCodeEditor | null>(null)
  const heard = useRef(onEdit)
  heard.current = onEdit
  const { language } = request
  const text = edited ?? request.code
  const first = useRef(text)
  first.current = text

  useEffect(() => {
    let created: editor.IStandaloneCodeEditor | null = null
    let gone = false
    void import('../editor/monaco.ts').then(({ monaco, editorLanguage }) => {
      if (gone || !box.current) return
      created = monaco.editor.create(box.current, {
        ...editorOptions,
        value: first.current,
        language: editorLanguage(language),
        ariaLabel: 'Code under review',
        readOnly: true,
      })
      const made = created
      made.onDidChangeModelContent(() => {
        if (!made.getRawOptions().readOnly) heard.current(made.getValue())
      })
      setLive(made)
    })
    return () => {
      gone = true
      created?.getModel()?.dispose()
      created?.dispose()
      setLive(null)
    }
  }, [language])

  const editing = edited !== null
  useEffect(() => {
    if (!live) return
    if (live.getValue() !== text) {
      live.updateOptions({ readOnly: true })
      live.setValue(text)
    }
    live.updateOptions({ readOnly: !editing })
  }, [live, text, editing])
  useEffect(() => {
    if (live && editing) live.focus()
  }, [live, editing])

  useEffect(() => {
    const model = live?.getModel()
    if (!live || !model) return
    // What was found speaks of the code that was inspected, not of what is being typed now.
    const changed = text !== request.code
    let gone = false
    const collection = live.createDecorationsCollection()
    void import('../editor/monaco.ts').then(({ monaco }) => {
      if (gone) return
      collection.set(decorationsOf(text, changed ? null : request, styles))
      monaco.editor.setModelMarkers(
        model,
        'countersign',
        changed
          ? []
          : marksOf(request).map(mark => ({
              severity: severities[mark.severity],
              startLineNumber: mark.line,
              startColumn: mark.column,
              endLineNumber: mark.endLine,
              endColumn: mark.endColumn,
              message: mark.text,
              source: `${mark.severity} risk`,
            })),
      )
    })
    return () => {
      gone = true
      collection.clear()
    }
  }, [live, request, text])

  useEffect(() => {
    if (!live || !goTo) return
    live.revealLineInCenter(goTo.line)
    live.setPosition({ lineNumber: goTo.line, column: 1 })
    const flash = live.createDecorationsCollection([
      {
        range: { startLineNumber: goTo.line, startColumn: 1, endLineNumber: goTo.line, endColumn: 1 },
        options: { isWholeLine: true, className: styles.flash ?? '' },
      },
    ])
    const timer = setTimeout(() => flash.clear(), 1200)
    return () => {
      clearTimeout(timer)
      flash.clear()
    }
  }, [live, goTo])

  return (
    <div className={editing ? `${styles.code} ${styles.editing}` : styles.code} data-testid="review-code">
      <div ref={box} className={styles.box} />
      {!live && <pre className={styles.waiting}>{visible(text)}</pre>}
    </div>
  )
}

/** Monaco's own numbers for error, warning, information and hint. */
const severities = { critical: 8, high: 8, medium: 4, low: 2 } as const
