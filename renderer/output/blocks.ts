import type { Output } from '../../src/contract/run.ts'

type Stream = Extract<Output, { type: 'stream' }>

/** What stands on the screen as one thing: a display, an error, or all text written to one stream in one go. */
export type Block = Exclude<Output, Stream> | { type: 'text'; name: Stream['name']; chunks: readonly string[] }

/** Joins neighbouring chunks of a stream, without copying their text: it may be megabytes and still growing. */
export function toBlocks(outputs: readonly Output[]): Block[] {
  const blocks: Block[] = []
  let chunks: string[] = []
  for (const output of outputs) {
    const last = blocks.at(-1)
    if (output.type !== 'stream') blocks.push(output)
    else if (last?.type === 'text' && last.name === output.name) chunks.push(output.text)
    else {
      chunks = [output.text]
      blocks.push({ type: 'text', name: output.name, chunks })
    }
  }
  return blocks
}
