import type { editor } from 'monaco-editor'
import type { ApprovalRequest } from '../../src/contract/approval.ts'
import type { RiskLevel } from '../../src/contract/run.ts'
import { hiddenCharacters, lineNotes } from './marks.ts'

type Styles = Readonly<Record<string, string | undefined>>

const shapes: Record<RiskLevel, string> = { low: '○', medium: '◆', high: '▲', critical: '⬣' }
const rulers: Record<RiskLevel, string> = {
  low: 'editorInfo.foreground',
  medium: 'editorWarning.foreground',
  high: 'editorError.foreground',
  critical: 'editorError.foreground',
}

/** Names for what hides, and at the end of a line what was found on it. Without a request only the names. */
export function decorationsOf(
  code: string,
  request: Pick<ApprovalRequest, 'inspection' | 'reasons' | 'code'> | null,
  styles: Styles,
): editor.IModelDeltaDecoration[] {
  return [
    ...hiddenCharacters(code).map(each => named(each, styles)),
    ...(request ? lineNotes(request) : []).map(note => noted(note, styles)),
  ]
}

/** Monaco names direction marks by itself; what it draws as nothing, as a symbol that few fonts have, or as another letter, we name. */
function named({ line, column, length, name }: ReturnType<typeof hiddenCharacters>[number], styles: Styles) {
  const point = Number.parseInt(/[0-9A-F]+(?=⟩)/.exec(name)?.[0] ?? '9', 16)
  const drawn = bidirectional.has(point)
  return {
    range: { startLineNumber: line, startColumn: column, endLineNumber: line, endColumn: column + length },
    options: {
      inlineClassName: styles.hidden ?? '',
      hoverMessage: { value: `\`${name}\` is not what it seems` },
      ...(drawn ? {} : { before: { content: name, inlineClassName: styles.name ?? '' } }),
    },
  } satisfies editor.IModelDeltaDecoration
}

const bidirectional = new Set([
  0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069,
])

function noted({ line, severity, text }: ReturnType<typeof lineNotes>[number], styles: Styles) {
  return {
    range: { startLineNumber: line, startColumn: 1, endLineNumber: line, endColumn: Number.MAX_SAFE_INTEGER },
    options: {
      isWholeLine: true,
      className: styles[`line-${severity}`] ?? '',
      linesDecorationsClassName: styles[`bar-${severity}`] ?? '',
      overviewRuler: { color: { id: rulers[severity] }, position: 4 },
      after: {
        content: `    ${shapes[severity]} ${severity === 'low' ? '' : `${severity}: `}${text}`,
        inlineClassName: styles[`note-${severity}`] ?? '',
      },
    },
  } satisfies editor.IModelDeltaDecoration
}

export const editorOptions: editor.IStandaloneEditorConstructionOptions = {
  theme: 'countersign',
  fontFamily: '"IBM Plex Mono", ui-monospace, Consolas, monospace',
  fontSize: 13,
  lineHeight: 1.6,
  minimap: { enabled: false },
  overviewRulerBorder: false,
  lineNumbersMinChars: 3,
  lineDecorationsWidth: 10,
  glyphMargin: false,
  folding: false,
  scrollBeyondLastLine: false,
  hideCursorInOverviewRuler: true,
  renderLineHighlight: 'none',
  padding: { top: 8, bottom: 8 },
  automaticLayout: true,
  fixedOverflowWidgets: true,
  // Nothing of the code may lie out of sight to the right.
  wordWrap: 'on',
  wrappingIndent: 'indent',
  tabSize: 4,
  contextmenu: false,
  stickyScroll: { enabled: false },
  occurrencesHighlight: 'off',
  renderWhitespace: 'none',
  renderControlCharacters: true,
  // Ours names them all; a second box around some of them would only puzzle.
  unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: false, nonBasicASCII: false },
  hover: { above: false },
}
