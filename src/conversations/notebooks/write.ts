import type { Json, JsonObject, Notebook, NotebookCell, NotebookOutput } from './format.ts'
import { isJsonMime } from './format.ts'

/** Writes a notebook of format 4.5, laid out as Jupyter does, so that a version control system shows small differences. */
export function writeNotebook({ metadata, cells }: Pick<Notebook, 'metadata' | 'cells'>): string {
  const notebook = { cells: cells.map(writeCell), metadata, nbformat: 4, nbformat_minor: 5 }
  return `${JSON.stringify(notebook, null, 1)}\n`
}

export function writeCell(cell: NotebookCell): JsonObject {
  const { id, type, metadata, attachments, executionCount, outputs, extra } = cell
  const shared = { cell_type: type, id, metadata, source: lines(cell.source) }
  if (type === 'code')
    return { ...extra, ...shared, execution_count: executionCount, outputs: outputs.map(writeOutput) }
  return { ...extra, ...shared, ...(attachments ? { attachments } : {}) }
}

function writeOutput({ output, extra }: NotebookOutput): JsonObject {
  if (extra?.whole === true && output.type === 'display') return output.data['application/json'] as JsonObject
  switch (output.type) {
    case 'stream':
      return { output_type: 'stream', name: output.name, ...extra, text: lines(output.text) }
    case 'notice':
      return { output_type: 'stream', name: 'stderr', ...extra, text: lines(`${output.text}\n`) }
    case 'error': {
      const { name, message, traceback } = output.error
      return { output_type: 'error', ...extra, ename: name, evalue: message, traceback }
    }
    case 'display':
      return { output_type: 'display_data', ...extra, data: splitLines(output.data), metadata: output.metadata ?? {} }
    case 'result':
      return {
        output_type: 'execute_result',
        execution_count: null,
        ...extra,
        data: splitLines(output.data),
        metadata: output.metadata ?? {},
      }
  }
}

function splitLines(data: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(data).map(([type, value]): [string, Json] => {
      const text =
        typeof value === 'string' && !isJsonMime(type) && (type.startsWith('text/') || type === 'image/svg+xml')
      return [type, text ? lines(value) : value]
    }),
  )
}

/** The lines of a text, each with its line break. */
export function lines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}
