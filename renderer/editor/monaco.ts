// Monaco's own list of features leaves out the one that shows completions.
import 'monaco-editor/editor/contrib/suggest/browser/suggestController'
import 'monaco-editor/features/bracketMatching/register'
import 'monaco-editor/features/clipboard/register'
import 'monaco-editor/features/codeEditor/register'
import 'monaco-editor/features/codicon/register'
import 'monaco-editor/features/comment/register'
import 'monaco-editor/features/diffEditor/register'
import 'monaco-editor/features/find/register'
import 'monaco-editor/features/gotoError/register'
import 'monaco-editor/features/hover/register'
import 'monaco-editor/features/indentation/register'
import 'monaco-editor/features/linesOperations/register'
import 'monaco-editor/features/multicursor/register'
import 'monaco-editor/features/parameterHints/register'
import 'monaco-editor/features/snippet/register'
import 'monaco-editor/features/unicodeHighlighter/register'
import 'monaco-editor/features/wordHighlighter/register'
import 'monaco-editor/features/wordOperations/register'
import 'monaco-editor/languages/definitions/javascript/register'
import 'monaco-editor/languages/definitions/markdown/register'
import 'monaco-editor/languages/definitions/python/register'
import 'monaco-editor/languages/definitions/shell/register'
import 'monaco-editor/languages/definitions/typescript/register'
import 'monaco-editor/languages/definitions/yaml/register'
import * as monaco from 'monaco-editor/editor'
import EditorWorker from 'monaco-editor/editor/editor.worker?worker'

/** Monaco, loaded once and only when the first editor is shown: `await import('./monaco.ts')`. */
self.MonacoEnvironment = { getWorker: () => new EditorWorker() }

const probe = document.createElement('span')

/** A token's colour as Monaco wants it: it cannot read CSS variables. */
function colour(name: string): string {
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const channels = getComputedStyle(probe).color.match(/[\d.]+/g) ?? []
  probe.remove()
  return `#${channels
    .slice(0, 3)
    .map(channel => Math.round(Number(channel)).toString(16).padStart(2, '0'))
    .join('')}`
}

const isDark = () => {
  const { theme } = document.documentElement.dataset
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
}

let drawnDark: boolean | null = null

/** For whoever hears of a new theme before this module does: colours asked for at once would be those of the old one. */
export function followTheme(): void {
  if (drawnDark !== isDark()) applyTheme()
}

function applyTheme(): void {
  const dark = isDark()
  drawnDark = dark
  const ink = (light: string, night: string) => ({ foreground: dark ? night : light })
  monaco.editor.defineTheme('countersign', {
    base: dark ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      { token: 'comment', ...ink('57524b', '9aa1a6'), fontStyle: 'italic' },
      { token: 'keyword', ...ink('7a2f6b', 'd7a3cf') },
      { token: 'string', ...ink('2f6432', '93c98f') },
      { token: 'number', ...ink('0b5c8a', '7cc0e8') },
      { token: 'type', ...ink('0d5c55', '6fcabd') },
    ],
    colors: {
      'editor.background': colour('--ground-raised'),
      'editor.foreground': colour('--ink'),
      'editorLineNumber.foreground': colour('--ink-faint'),
      'editorLineNumber.activeForeground': colour('--ink-soft'),
      'editor.lineHighlightBackground': colour('--ground-sunken'),
      'editor.selectionBackground': dark ? '#2b5a5488' : '#b9d8d388',
      'editorWidget.background': colour('--ground-raised'),
      'editorWidget.border': colour('--line-strong'),
      'editorGutter.background': colour('--ground-raised'),
      'editorHoverWidget.background': colour('--ground-raised'),
      'editorHoverWidget.border': colour('--line-strong'),
      'editorSuggestWidget.background': colour('--ground-raised'),
      'editorSuggestWidget.border': colour('--line-strong'),
      'editorSuggestWidget.foreground': colour('--ink'),
      'editorSuggestWidget.highlightForeground': colour('--accent'),
      'editorSuggestWidget.focusHighlightForeground': colour('--accent'),
      'editorSuggestWidget.selectedBackground': colour('--ground-selected'),
      'editorSuggestWidget.selectedForeground': colour('--ink'),
      'editorSuggestWidget.selectedIconForeground': colour('--ink'),
      // Pale enough that every kind of ink stays readable on them.
      'diffEditor.insertedTextBackground': dark ? '#82c48a2a' : '#376b3c1f',
      'diffEditor.removedTextBackground': dark ? '#ff8a922a' : '#a8172b1a',
      'diffEditor.insertedLineBackground': dark ? '#82c48a14' : '#376b3c12',
      'diffEditor.removedLineBackground': dark ? '#ff8a9214' : '#a8172b10',
      focusBorder: '#00000000',
    },
  })
  monaco.editor.setTheme('countersign')
}

applyTheme()
new MutationObserver(applyTheme).observe(document.documentElement, { attributeFilter: ['data-theme'] })
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme)

export { monaco }

/** Monaco's name for a cell's language. */
export const editorLanguage = (language: string): string => (language === 'bash' ? 'shell' : language)
