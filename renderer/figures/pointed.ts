/** The number under the pointer, as it is written there; an empty text where there is none. */
export function numberAt(x: number, y: number): string {
  const caret = document.caretPositionFromPoint(x, y)
  const text = caret?.offsetNode.nodeType === Node.TEXT_NODE ? (caret.offsetNode.textContent ?? '') : ''
  for (const match of text.matchAll(/[-+−]?[$€£¥]?\d[\d,.]*\d|\d/g)) {
    const end = match.index + match[0].length
    if (caret && caret.offset >= match.index && caret.offset <= end) return match[0]
  }
  return ''
}
