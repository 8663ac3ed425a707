import { useQuery } from '@tanstack/react-query'
import type { Item, OutputView } from '../../src/contract/conversations.ts'
import type { Output } from '../../src/contract/run.ts'
import { client } from '../state/connection.ts'

export type Part = 'text' | 'output'

/** What an output says, as text: what would be sent of it. Pictures say nothing. */
export function textOf(output: Output): string {
  switch (output.type) {
    case 'stream':
    case 'notice':
      return output.text
    case 'error':
      return `${output.error.name}: ${output.error.message}\n${output.error.traceback.join('\n')}`
    case 'display':
    case 'result': {
      const mime = readable.find(each => output.data[each] !== undefined)
      if (!mime) return ''
      const data = output.data[mime]
      return typeof data === 'string' ? data : JSON.stringify(data, null, 2)
    }
  }
}

const readable = ['text/plain', 'text/markdown', 'application/json', 'text/html', 'image/svg+xml']
/** Colours of a terminal. */
const colours = /\u001b\[[0-9;]*m/g

/** The text of a part of an item. Long outputs are fetched whole: what is not looked at cannot be vouched for. */
export function useSourceText(item: Item | undefined, part: Part) {
  const outputs = item?.kind === 'cell' && part === 'output' ? (item.lastRun?.outputs ?? []) : []
  return useQuery({
    queryKey: ['privacy', 'source', item?.id, item?.revision, part, outputs.map(output => output.id)],
    queryFn: async () => {
      if (!item || part === 'text') return item?.text ?? ''
      const texts = await Promise.all(outputs.map(wholeOutput))
      return texts.map(textOf).join('').replace(colours, '')
    },
    // Real values stay in memory no longer than they are looked at.
    gcTime: 0,
  })
}

const wholeOutput = async (view: OutputView): Promise<Output> =>
  view.whole ? view.output : client.paths.output(view.id)

export const partsOf = (item: Item): Part[] =>
  item.kind === 'cell' && (item.lastRun?.outputs.length ?? 0) > 0 ? ['text', 'output'] : ['text']

/** `Message by the analyst`, `python cell [3]`. */
export const nameOf = (item: Item): string =>
  item.kind === 'message'
    ? `Message by the ${item.author}`
    : `${item.language === 'markdown' ? 'Markdown' : `${item.language} cell`}${item.lastRun?.count ? ` [${item.lastRun.count}]` : ''}`
