import type { editor } from 'monaco-editor'
import { useEffect, useRef } from 'react'

interface DiffProps {
  readonly original: string
  readonly modified: string
  readonly language: string
  readonly label: string
  readonly inline?: boolean
}

/** Two versions of one text in Monaco's own diff view, as tall as they are. */
export function DiffEditor({ original, modified, language, label, inline = false }: DiffProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let live: editor.IStandaloneDiffEditor | null = null
    let models: editor.IDiffEditorModel | null = null
    let gone = false
    void import('./monaco.ts').then(({ monaco, editorLanguage }) => {
      if (gone || !box.current) return
      const made = monaco.editor.createDiffEditor(box.current, {
        theme: 'countersign',
        readOnly: true,
        renderSideBySide: !inline,
        minimap: { enabled: false },
        overviewRulerBorder: false,
        renderOverviewRuler: false,
        glyphMargin: false,
        folding: false,
        lineNumbersMinChars: 3,
        // Room for the sign between the number and the code.
        lineDecorationsWidth: 22,
        scrollBeyondLastLine: false,
        fontFamily: '"IBM Plex Mono", ui-monospace, monospace',
        fontSize: 13,
        lineHeight: 1.5,
        automaticLayout: true,
        hideUnchangedRegions: { enabled: true },
        scrollbar: { vertical: 'hidden', alwaysConsumeMouseWheel: false },
      })
      live = made
      made.getOriginalEditor().updateOptions({ ariaLabel: `${label}, before` })
      made.getModifiedEditor().updateOptions({ ariaLabel: `${label}, after` })
      const name = editorLanguage(language)
      models = {
        original: monaco.editor.createModel(original, name),
        modified: monaco.editor.createModel(modified, name),
      }
      made.setModel(models)
      const grow = () => {
        const height = Math.max(
          made.getOriginalEditor().getContentHeight(),
          made.getModifiedEditor().getContentHeight(),
        )
        if (box.current) box.current.style.height = `${Math.min(height, 600) + 4}px`
      }
      made.onDidUpdateDiff(grow)
      made.getModifiedEditor().onDidContentSizeChange(grow)
      grow()
    })
    return () => {
      gone = true
      live?.dispose()
      models?.original.dispose()
      models?.modified.dispose()
    }
  }, [original, modified, language, label, inline])
  return <div ref={box} style={{ minHeight: 80 }} />
}
