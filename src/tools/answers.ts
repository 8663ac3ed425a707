import { z } from 'zod'
import type { ToolAnswer } from '../contract/mcp-servers.ts'

const TextBlock = z.object({ type: z.literal('text'), text: z.string() })

/**
 * What code is given of an answer: its structured content; else a single text, read as JSON where it is an object or a
 * list; else the list of its parts, texts as they are.
 */
export function resultOf({ content, structuredContent }: ToolAnswer): unknown {
  if (structuredContent !== undefined) return structuredContent
  const parts = content.map(part => TextBlock.safeParse(part).data?.text ?? part)
  const [only] = parts
  if (parts.length !== 1 || typeof only !== 'string') return parts
  return /^\s*[[{]/.test(only) ? parsed(only) : only
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What a tool says went wrong. Its server's word, so bounded. */
export function complaintOf({ content }: ToolAnswer): string {
  const texts = content.flatMap(part => TextBlock.safeParse(part).data?.text ?? [])
  return texts.join('\n').slice(0, 2000) || 'The tool failed and does not say why.'
}
