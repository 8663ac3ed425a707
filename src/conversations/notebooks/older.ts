import { isObject, type Json, type JsonObject, others } from './format.ts'

/** Notebooks of formats 2 and 3, in which cells were grouped in worksheets and outputs had names of their own. */
export function upgradeOlder(notebook: JsonObject): JsonObject {
  const sheets = Array.isArray(notebook.worksheets) ? notebook.worksheets : []
  const cells = sheets.flatMap(sheet => (isObject(sheet) && Array.isArray(sheet.cells) ? sheet.cells : []))
  return {
    metadata: notebook.metadata ?? {},
    nbformat: 4,
    nbformat_minor: 0,
    cells: cells.map(cell => {
      if (!isObject(cell)) return cell
      return upgradeCell(notebook.nbformat === 2 ? withLineBreaks(cell) : cell)
    }),
  }
}

/** Lines of format 2 came without their line breaks. */
function withLineBreaks(cell: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(cell).map(([key, value]): [string, Json] => {
      if (key === 'traceback' || !Array.isArray(value)) return [key, value]
      if (key === 'outputs') return [key, value.map(output => (isObject(output) ? withLineBreaks(output) : output))]
      return [key, value.every(line => typeof line === 'string') ? value.join('\n') : value]
    }),
  )
}

function upgradeCell(cell: JsonObject): JsonObject {
  switch (cell.cell_type) {
    case 'code':
      return {
        ...others(cell, ['input', 'prompt_number', 'language', 'collapsed']),
        source: cell.input ?? '',
        execution_count: cell.prompt_number ?? null,
        metadata: {
          ...(isObject(cell.metadata) ? cell.metadata : {}),
          ...(typeof cell.collapsed === 'boolean' ? { collapsed: cell.collapsed } : {}),
        },
        outputs: (Array.isArray(cell.outputs) ? cell.outputs : []).map(each =>
          isObject(each) ? upgradeOutput(each) : each,
        ),
      }
    case 'heading': {
      const level = typeof cell.level === 'number' ? Math.min(6, Math.max(1, cell.level)) : 1
      return {
        ...others(cell, ['level']),
        cell_type: 'markdown',
        source: `${'#'.repeat(level)} ${joined(cell.source)}`,
      }
    }
    case 'html':
      return { ...cell, cell_type: 'markdown' }
    default:
      return cell
  }
}

const mimeTypes: Record<string, string> = {
  text: 'text/plain',
  html: 'text/html',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpeg: 'image/jpeg',
  latex: 'text/latex',
  json: 'application/json',
  javascript: 'application/javascript',
  pdf: 'application/pdf',
}

function upgradeOutput(output: JsonObject): JsonObject {
  switch (output.output_type) {
    case 'stream':
      return { output_type: 'stream', name: output.stream ?? 'stdout', text: output.text ?? '' }
    case 'pyerr':
      return { ...output, output_type: 'error' }
    case 'pyout':
    case 'display_data': {
      const data = Object.entries(output).flatMap(([key, value]): [string, Json][] => {
        const type = mimeTypes[key]
        return type ? [[type, type === 'application/json' ? parsed(value) : value]] : []
      })
      const shared = { data: Object.fromEntries(data), metadata: output.metadata ?? {} }
      if (output.output_type === 'display_data') return { output_type: 'display_data', ...shared }
      return { output_type: 'execute_result', execution_count: output.prompt_number ?? null, ...shared }
    }
    default:
      return output
  }
}

const joined = (text: Json | undefined): string =>
  Array.isArray(text) ? text.join('') : typeof text === 'string' ? text : ''

/** Format 3 kept JSON as text. */
function parsed(value: Json): Json {
  try {
    return JSON.parse(joined(value))
  } catch {
    return value
  }
}
