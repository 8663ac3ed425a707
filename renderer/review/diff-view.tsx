import type { editor } from 'monaco-editor'
import { useEffect, useRef } from 'react'
import type { Language } from '../../src/contract/run.ts'
import styles from './code-view.module.css'
import { decorationsOf, editorOptions } from './decorations.ts'

interface DiffViewProps {
  readonly before: string
  readonly after: string
  readonly language: Language
  readonly label: string
}

/** What went and what came, side by side where there is room. */
export function DiffView({ before, after, language, label }: DiffViewProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let live: editor.IStandaloneDiffEditor | null = null
    let models: editor.ITextModel[] = []
    let gone = false
    void import('../editor/monaco.ts').then(({ monaco, editorLanguage }) => {
      if (gone || !box.current) return
      live = monaco.editor.createDiffEditor(box.current, {
        ...editorOptions,
        ariaLabel: label,
        readOnly: true,
        originalEditable: false,
        renderSideBySide: true,
        useInlineViewWhenSpaceIsLimited: true,
        renderSideBySideInlineBreakpoint: 760,
        // A changed space or a moved line end is a change.
        ignoreTrimWhitespace: false,
        renderOverviewRuler: false,
      })
      const [original, modified] = [before, after].map(text =>
        monaco.editor.createModel(text, editorLanguage(language)),
      )
      if (!original || !modified) return
      models = [original, modified]
      // A change at the end of a long program would stay below the edge.
      const found = live.onDidUpdateDiff(() => {
        found.dispose()
        live?.revealFirstDiff()
      })
      live.setModel({ original, modified })
      live.getOriginalEditor().createDecorationsCollection(decorationsOf(before, null, styles))
      live.getModifiedEditor().createDecorationsCollection(decorationsOf(after, null, styles))
    })
    return () => {
      gone = true
      live?.dispose()
      for (const model of models) model.dispose()
    }
  }, [before, after, language, label])
  return (
    <div className={styles.code} data-testid="review-diff">
      <div ref={box} className={styles.box} />
    </div>
  )
}
