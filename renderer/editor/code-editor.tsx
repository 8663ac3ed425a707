import type { editor } from 'monaco-editor'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { PathId } from '../../src/contract/ids.ts'
import styles from './code-editor.module.css'
import { noteEditor } from './reveal.ts'

interface CodeEditorProps {
  readonly value: string
  readonly language: string
  readonly label: string
  /** The path whose kernel completes and explains; none where code is only looked at. */
  readonly path?: PathId
  readonly fontSize?: number
  readonly readOnly?: boolean
  /** True while the cursor belongs in here. */
  readonly focused?: boolean
  onChange?(text: string): void
  onFocus?(): void
  onBlur?(): void
  onEscape?(): void
  /** The live editor, for markers, completion and the like. */
  onMount?(editor: editor.IStandaloneCodeEditor): void
}

/** An editor as tall as its text. Until Monaco is there the text stands in its place, at the same size. */
export function CodeEditor(props: CodeEditorProps) {
  const { value, language, label, fontSize = 13, readOnly = false, focused = false } = props
  const box = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<editor.IStandaloneCodeEditor | null>(null)
  const handlers = useRef(props)
  handlers.current = props

  useEffect(() => {
    let live: editor.IStandaloneCodeEditor | null = null
    let gone = false
    void Promise.all([import('./monaco.ts'), import('./kernel.ts')]).then(
      ([{ monaco, editorLanguage }, { attachKernel }]) => {
        if (gone || !box.current) return
        live = monaco.editor.create(box.current, {
          ...options,
          value: handlers.current.value,
          language: editorLanguage(language),
          fontSize,
          readOnly,
          ariaLabel: label,
        })
        const created = live
        const grow = () => {
          if (!box.current) return
          box.current.style.height = `${created.getContentHeight()}px`
          created.layout()
        }
        created.onDidContentSizeChange(grow)
        grow()
        created.onDidChangeModelContent(() => handlers.current.onChange?.(created.getValue()))
        created.onDidFocusEditorText(() => handlers.current.onFocus?.())
        created.onDidBlurEditorText(() => handlers.current.onBlur?.())
        // Escape first closes suggestions and the like; only then does it leave the editor.
        created.addCommand(
          monaco.KeyCode.Escape,
          () => handlers.current.onEscape?.(),
          '!suggestWidgetVisible && !findWidgetVisible && !parameterHintsVisible',
        )
        if (handlers.current.path) attachKernel(created, handlers.current.path, language)
        handlers.current.onMount?.(created)
        noteEditor(created)
        setEditor(created)
      },
    )
    return () => {
      gone = true
      noteEditor(null)
      live?.getModel()?.dispose()
      live?.dispose()
      setEditor(null)
    }
  }, [language, fontSize, readOnly, label])

  useEffect(() => {
    // What came from elsewhere; what was typed here is already there, and setting it again would move the cursor.
    if (editor && editor.getValue() !== value) editor.setValue(value)
  }, [editor, value])

  useLayoutEffect(() => {
    if (!editor) return
    if (focused && !editor.hasTextFocus()) editor.focus()
  }, [editor, focused])

  return (
    <div className={styles.editor}>
      <div ref={box} className={styles.box} />
      {!editor && (
        <pre className={styles.waiting} style={{ fontSize }}>
          {value || ' '}
        </pre>
      )}
    </div>
  )
}

const options: editor.IStandaloneEditorConstructionOptions = {
  theme: 'countersign',
  fontFamily: '"IBM Plex Mono", ui-monospace, Consolas, monospace',
  lineHeight: 1.5,
  minimap: { enabled: false },
  lineNumbers: 'on',
  lineNumbersMinChars: 3,
  lineDecorationsWidth: 6,
  glyphMargin: false,
  folding: false,
  scrollBeyondLastLine: false,
  scrollbar: { vertical: 'hidden', alwaysConsumeMouseWheel: false, horizontalScrollbarSize: 8 },
  overviewRulerLanes: 0,
  hideCursorInOverviewRuler: true,
  renderLineHighlight: 'none',
  padding: { top: 8, bottom: 8 },
  automaticLayout: true,
  fixedOverflowWidgets: true,
  wordWrap: 'off',
  tabSize: 4,
  contextmenu: false,
  // Hidden and look-alike characters are shown: code is read by people who must be able to trust their eyes.
  unicodeHighlight: { ambiguousCharacters: true, invisibleCharacters: true },
  renderControlCharacters: true,
  stickyScroll: { enabled: false },
}
