import type { editor } from 'monaco-editor'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { PathId } from '../../src/contract/ids.ts'
import styles from './code-editor.module.css'
import { noteEditor } from './reveal.ts'
import { giveHeld } from './type-ahead.ts'

type Monaco = typeof import('./monaco.ts')['monaco']

interface CodeEditorProps {
  readonly value: string
  readonly language: string
  readonly label: string
  /** The path whose kernel completes and explains; none where code is only looked at. */
  readonly path?: PathId
  readonly fontSize?: number
  readonly readOnly?: boolean
  /** A line that cannot be read. */
  readonly mistake?: number | null
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
  const { value, language, label, fontSize = 13, readOnly = false, mistake = null, focused = false } = props
  const box = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<editor.IStandaloneCodeEditor | null>(null)
  const handlers = useRef(props)
  handlers.current = props
  /** Texts that were told to the owner and have not come back as its value. */
  const echoes = useRef<string[]>([])

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
          overflowWidgetsDomNode: overlays(),
        })
        const created = live
        const grow = () => {
          if (!box.current) return
          box.current.style.height = `${created.getContentHeight()}px`
          created.layout()
        }
        created.onDidContentSizeChange(grow)
        grow()
        created.onDidChangeModelContent(() => {
          const text = created.getValue()
          echoes.current.push(text)
          handlers.current.onChange?.(text)
        })
        created.onDidFocusEditorText(() => handlers.current.onFocus?.())
        created.onDidBlurEditorText(() => handlers.current.onBlur?.())
        // Escape first closes suggestions and the like; only then does it leave the editor.
        created.addCommand(
          monaco.KeyCode.Escape,
          () => handlers.current.onEscape?.(),
          '!suggestWidgetVisible && !findWidgetVisible && !parameterHintsVisible',
        )
        completeOnTab(monaco, created)
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
    if (!editor) return
    // What was typed here comes back a moment later, when more may have been typed: set again, it would undo that.
    const echo = echoes.current.lastIndexOf(value)
    if (editor.getValue() !== value && echo < 0) editor.setValue(value)
    echoes.current = editor.getValue() === value ? [] : echoes.current.slice(echo + 1)
  }, [editor, value])

  useEffect(() => {
    if (!editor || mistake === null) return
    const range = { startLineNumber: mistake, startColumn: 1, endLineNumber: mistake, endColumn: 1 }
    const marks = editor.createDecorationsCollection([
      { range, options: { isWholeLine: true, className: styles.mistake ?? null } },
    ])
    return () => marks.clear()
  }, [editor, mistake])

  useLayoutEffect(() => {
    if (!editor) return
    if (focused && !editor.hasTextFocus()) editor.focus()
  }, [editor, focused])

  useEffect(() => {
    // After the text itself, which would otherwise be set over it.
    if (editor && focused) giveHeld(editor, () => handlers.current.onEscape?.())
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

/** Tab behind a name completes it, as notebooks do; elsewhere it indents. */
function completeOnTab({ KeyCode }: Monaco, live: editor.IStandaloneCodeEditor): void {
  live.addCommand(
    KeyCode.Tab,
    () => {
      const at = live.getPosition()
      const before =
        at &&
        live
          .getModel()
          ?.getLineContent(at.lineNumber)
          .charAt(at.column - 2)
      const completes = before && /[\p{L}\d_.]/u.test(before)
      live.trigger('keyboard', completes ? 'editor.action.triggerSuggest' : 'tab', null)
    },
    'editorTextFocus && !editorReadonly && !editorHasSelection && !suggestWidgetVisible && !inSnippetMode',
  )
}

/** Where completions and the like are drawn: inside the scrolling notebook they would be cut off and out of place. */
function overlays(): HTMLElement {
  const known = document.getElementById('editor-overlays')
  if (known) return known
  // Monaco's own class, since its styles hang on it.
  const made = Object.assign(document.createElement('div'), { id: 'editor-overlays', className: 'monaco-editor' })
  document.body.append(made)
  return made
}

const options: editor.IStandaloneEditorConstructionOptions = {
  theme: 'countersign',
  fontFamily: '"IBM Plex Mono", ui-monospace, Consolas, monospace',
  lineHeight: 1.5,
  minimap: { enabled: false },
  lineNumbers: 'on',
  lineNumbersMinChars: 3,
  lineDecorationsWidth: 14,
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
  // A kernel is not asked at every letter: a dot, Tab or Ctrl+Space asks it.
  quickSuggestions: false,
}
