/** Terminal text as it would be read: colours gone, a line that was overwritten shows what it ended as. */
export function plainText(text: string): string {
  return text
    .replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]/g, '')
    .split('\n')
    .map(line => line.replace(/\r$/, '').split('\r').at(-1) ?? '')
    .join('\n')
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '')
}
