/** Without the newlines at its end. By hand: the pattern `\n+$` looks at newlines in the middle once for each of them. */
export function withoutLastNewlines(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end--
  return text.slice(0, end)
}
