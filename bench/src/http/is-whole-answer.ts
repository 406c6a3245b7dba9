/**
 * @param text the beginning of an answer, of which there is one at a time
 * @throws for an answer without Content-Length
 */
export function isWholeAnswer(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${text.slice(0, 500)}`)
  return text.length >= headEnd + 4 + Number(length)
}
