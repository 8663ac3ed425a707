import { parseMarkdown } from './parse.ts'

/** Parses Markdown away from the window: a hostile text costs this worker, which is then ended. */
self.onmessage = ({ data }: MessageEvent<string>) => {
  let tree: ReturnType<typeof parseMarkdown> = null
  try {
    tree = parseMarkdown(data)
  } catch {
    // Too deep for the parser's own stack: shown as it was written.
  }
  self.postMessage(tree)
}
