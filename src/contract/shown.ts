import { z } from 'zod'
import { DisplayId, MimeBundle, Output } from './run.ts'

/** What a run does to its outputs while it goes on: adds one, puts something else in the place of a display, clears all. */
export const Shown = z.discriminatedUnion('type', [
  Output,
  z.object({
    type: z.literal('update'),
    displayId: DisplayId,
    data: MimeBundle,
    metadata: z.record(z.string(), z.json()).optional(),
  }),
  z.object({ type: z.literal('clear') }),
])
export type Shown = z.infer<typeof Shown>

/** Outputs after more was shown. All displays of one name show the same: what the last of them or an update brought. */
export function withShown(before: readonly Output[], more: readonly Shown[]): Output[] {
  let outputs = [...before]
  for (const shown of more) {
    if (shown.type === 'clear') outputs = []
    else if (shown.type === 'update') outputs = outputs.map(output => renewed(output, shown))
    else if (shown.type === 'display' && shown.displayId !== undefined)
      outputs = [...outputs.map(output => renewed(output, shown)), shown]
    else addShown(outputs, shown)
  }
  return outputs
}

/** Puts something behind what was shown; text is joined to the piece before it when both come from the same stream. */
export function addShown<T extends Shown>(list: T[], shown: T): void {
  const last = list.at(-1)
  if (shown.type === 'stream' && last?.type === 'stream' && last.name === shown.name)
    list[list.length - 1] = { ...last, text: last.text + shown.text }
  else list.push(shown)
}

function renewed(output: Output, by: Extract<Shown, { type: 'update' | 'display' }>): Output {
  return output.type === 'display' && output.displayId === by.displayId ? { ...by, type: 'display' } : output
}

/** About how many characters it takes to hand it on. */
export function sizeOf(shown: Shown): number {
  switch (shown.type) {
    case 'clear':
      return 0
    case 'stream':
    case 'notice':
      return shown.text.length
    default:
      return JSON.stringify(shown).length
  }
}
