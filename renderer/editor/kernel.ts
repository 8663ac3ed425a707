import type { editor, languages } from 'monaco-editor'
import type { PathId } from '../../src/contract/ids.ts'
import { Language } from '../../src/contract/run.ts'
import type { Completion, Hover } from '../../src/contract/sandbox.ts'
import type { KnownTool } from '../../src/contract/tools.ts'
import { visible } from '../../src/contract/visible.ts'
import { client } from '../state/connection.ts'
import { queryClient, rpc } from '../state/queries.ts'
import { editorLanguage, monaco } from './monaco.ts'
import { toolAt, toolCompletions } from './tools.ts'

/** Which path's kernel stands behind a model. */
const kernels = new WeakMap<editor.ITextModel, { path: PathId; language: Language }>()

/** Completion and explanation from the live kernel: it knows the columns of a data frame, which no static tool does. */
export function attachKernel(live: editor.IStandaloneCodeEditor, path: PathId, name: string): void {
  const language = Language.safeParse(name)
  const model = live.getModel()
  if (model && language.success) kernels.set(model, { path, language: language.data })
}

const kinds: Record<Completion['kind'], languages.CompletionItemKind> = {
  variable: monaco.languages.CompletionItemKind.Variable,
  function: monaco.languages.CompletionItemKind.Function,
  class: monaco.languages.CompletionItemKind.Class,
  module: monaco.languages.CompletionItemKind.Module,
  property: monaco.languages.CompletionItemKind.Property,
  keyword: monaco.languages.CompletionItemKind.Keyword,
  file: monaco.languages.CompletionItemKind.File,
}

for (const language of ['python', 'javascript', 'typescript'].map(editorLanguage)) {
  monaco.languages.registerCompletionItemProvider(language, {
    triggerCharacters: ['.', "'", '"', '/'],
    async provideCompletionItems(model, position) {
      const kernel = kernels.get(model)
      if (!kernel) return { suggestions: [] }
      const offset = model.getOffsetAt(position)
      const ofTools = toolCompletions(model.getValue().slice(0, offset), await knownTools(model), kernel.language)
      const found =
        ofTools ?? (await client.sandbox.complete({ ...kernel, code: model.getValue(), offset }).catch(() => []))
      const word = model.getWordUntilPosition(position)
      const range = new monaco.Range(position.lineNumber, word.startColumn, position.lineNumber, word.endColumn)
      return {
        suggestions: found.map(({ label, kind, detail }, index) => ({
          label,
          // The kernel's order: what the analyst made comes first.
          sortText: String(index).padStart(4, '0'),
          kind: kinds[kind],
          insertText: label,
          range,
          ...(detail ? { detail } : {}),
        })),
      }
    },
  })
  monaco.languages.registerHoverProvider(language, {
    async provideHover(model, position) {
      const hover = await explain(model, model.getOffsetAt(position))
      if (!hover) return null
      const code = hover.signature ?? hover.type
      return { contents: [{ value: fenced(code) }, { value: fenced(hover.documentation, 'text') }] }
    },
  })
  monaco.languages.registerSignatureHelpProvider(language, {
    signatureHelpTriggerCharacters: ['(', ','],
    async provideSignatureHelp(model, position) {
      const { open, argument } = callAround(model.getValue(), model.getOffsetAt(position))
      const hover = open > 0 ? await explain(model, open - 1) : null
      if (!hover?.signature) return null
      const documentation = hover.documentation.split('\n\n')[0] ?? ''
      return {
        value: {
          signatures: [{ label: hover.signature, documentation, parameters: parametersOf(hover.signature) }],
          activeSignature: 0,
          activeParameter: argument,
        },
        dispose: () => undefined,
      }
    },
  })
}

/** What stands at a place: a tool by what its server says of it, all else by what the kernel knows. */
async function explain(model: editor.ITextModel, offset: number): Promise<Hover | null> {
  const kernel = kernels.get(model)
  if (!kernel) return null
  const code = model.getValue()
  const tool = toolAt(code, offset, await knownTools(model))
  if (!tool) return client.sandbox.hover({ ...kernel, code, offset }).catch(() => null)
  const signature = kernel.language === 'python' ? tool.python : tool.typescript
  return { signature, documentation: visible(tool.description), type: 'function' }
}

/** Only for code that speaks of tools: most does not. */
async function knownTools(model: editor.ITextModel): Promise<readonly KnownTool[]> {
  if (!model.getValue().includes('tools.')) return []
  return queryClient.fetchQuery(rpc.tools.known.queryOptions()).catch(() => [])
}

/** Kernel text is shown as code, never as Markdown: a docstring could hold links and images. */
const fenced = (text: string, language = 'python'): string => {
  const fence = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map(run => run.length + 1)))
  return text ? `${fence}${language}\n${text}\n${fence}` : ''
}

/** The bracket that the cursor stands in, and at which argument. */
export function callAround(code: string, offset: number): { open: number; argument: number } {
  let depth = 0
  let argument = 0
  for (let at = offset - 1; at >= 0 && offset - at < 2000; at--) {
    const character = code.charAt(at)
    if (')]}'.includes(character)) depth++
    else if ('([{'.includes(character)) {
      if (depth === 0) return character === '(' ? { open: at, argument } : { open: -1, argument: 0 }
      depth--
    } else if (character === ',' && depth === 0) argument++
  }
  return { open: -1, argument: 0 }
}

const parametersOf = (signature: string) => {
  const inside = signature.slice(signature.indexOf('(') + 1, signature.lastIndexOf(')'))
  return inside.split(/,(?![^([{]*[)\]}])/).map(label => ({ label: label.trim() }))
}
