import type { Output } from '../../contract/run.ts'
import type { JsonObject } from '../notebooks/format.ts'
import type { ExportedItem, ExportedPath } from './load.ts'
import { plainText } from './plain.ts'

/** A path as Markdown: messages as they were written, code and its output in fences that neither can break out of. */
export function toMarkdown(title: string, path: ExportedPath): string {
  const heading = path.name === 'main' ? title : `${title}: ${path.name}`
  const parts = [`# ${oneLine(heading)}`, ...path.items.flatMap(itemParts)]
  return `${parts.join('\n\n')}\n`
}

function itemParts(item: ExportedItem): string[] {
  if (item.kind === 'message') return [`**${item.author}**`, item.text]
  if (item.language === 'markdown') return [item.text]
  const outputs = item.outputs.flatMap(({ output }) => outputParts(output))
  const stale = item.run?.stale && outputs.length > 0 ? [staleNote] : []
  return [fence(item.text, item.language === 'raw' ? '' : (item.language ?? '')), ...stale, ...outputs]
}

/** Without it the output would pass for that of the code above it. */
const staleNote =
  '> The code was changed after this run, or a cell before it that it depends on was: the output below is that of an earlier version.'

function outputParts(output: Output): string[] {
  switch (output.type) {
    case 'stream':
      return [fence(plainText(output.text), 'text')]
    case 'notice':
      return [`> ${oneLine(output.text)}`]
    case 'error':
      return [fence(plainText(errorText(output.error)), 'text')]
    case 'display':
    case 'result':
      return dataParts(output.data)
  }
}

function dataParts(data: JsonObject): string[] {
  for (const type of ['image/png', 'image/jpeg']) {
    const image = data[type]
    if (typeof image === 'string' && /^[A-Za-z0-9+/=\s]+$/.test(image)) {
      return [`![output](data:${type};base64,${image.replace(/\s/g, '')})`]
    }
  }
  const text = data['text/plain'] ?? data['text/markdown'] ?? data['text/latex']
  if (typeof text === 'string') return [fence(plainText(text), 'text')]
  const [type, value] = Object.entries(data)[0] ?? []
  if (type === undefined || value === undefined) return []
  const shown = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return [fence(shown, /json$/.test(type) ? 'json' : 'text')]
}

export function errorText(error: { name: string; message: string; traceback: readonly string[] }): string {
  return error.traceback.length > 0 ? error.traceback.join('\n') : `${error.name}: ${error.message}`
}

/** Longer than any run of backticks inside, so that the text cannot end it. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), match => match[0].length))
  const mark = '`'.repeat(longest + 1)
  return `${mark}${language}\n${text.replace(/\n$/, '')}\n${mark}`
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
