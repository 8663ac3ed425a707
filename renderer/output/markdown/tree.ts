import type { Root } from 'hast'
import { useEffect, useMemo, useState } from 'react'
import { isQuick, parseMarkdown } from './parse.ts'
import { MarkdownParser } from './parser.ts'
import ParserWorker from './worker.ts?worker'

const parser = new MarkdownParser(() => new ParserWorker())

/**
 * The tree of a text: at once for a short one, later for a long one. While a text grows, the tree of what it was stays;
 * `null` when there is none (yet), and the text is best shown as it was written.
 */
export function useMarkdownTree(text: string): Root | null {
  const quick = useMemo(() => (isQuick(text) ? parseMarkdown(text) : undefined), [text])
  const [slow, setSlow] = useState<Root | null>(null)
  useEffect(() => {
    if (quick !== undefined) return
    // One that has begun is let finish also when the text has grown: its tree is newer than what is on the screen.
    return parser.parse(text, setSlow)
  }, [text, quick])
  return quick !== undefined ? quick : slow
}
