import type { Output } from '../../src/contract/run.ts'

type Stream = Extract<Output, { type: 'stream' }>

/** What stands on the screen as one thing: a display, an error, or all text written to one stream in one go. */
export type Block = Exclude<Output, Stream> | Text

interface Text {
  readonly type: 'text'
  readonly name: Stream['name']
  readonly chunks: readonly string[]
  /** More was printed than is here. */
  readonly cut?: true
}

/** Joins neighbouring chunks of a stream, without copying their text: it may be megabytes and still growing. */
export function toBlocks(outputs: readonly Output[]): Block[] {
  const blocks: Block[] = []
  let chunks: string[] = []
  for (const output of outputs) {
    const last = blocks.at(-1)
    if (output.type === 'notice' && (output.cut || output.passing)) markCut(blocks)
    if (output.type !== 'stream') blocks.push(output)
    else if (last?.type === 'text' && last.name === output.name) chunks.push(output.text)
    else {
      chunks = [output.text]
      blocks.push({ type: 'text', name: output.name, chunks })
    }
  }
  return blocks
}

/** What a notice says of the text before it: a count of its lines would otherwise pass for the count of all. */
function markCut(blocks: Block[]): void {
  const at = blocks.findLastIndex(block => block.type === 'text')
  const text = blocks[at]
  if (text?.type === 'text') blocks[at] = { ...text, cut: true }
}

/** What a run has shown, once it has ended. */
export function withoutPassing(outputs: readonly Output[]): readonly Output[] {
  return outputs.filter(output => output.type !== 'notice' || !output.passing)
}
