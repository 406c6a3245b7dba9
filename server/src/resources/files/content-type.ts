/**
 * Chooses the content type of a file. Only types that a browser can show safely are shown in place; of these, pictures
 * are recognized by their content and not by the declared type. Everything else is offered to be saved.
 */

const OCTETS = 'application/octet-stream'

/** The number of bytes from the start that `chooseContentType` needs. */
export const HEAD_BYTES = 16

const ascii = (head: Buffer, start: number, end: number) => head.toString('latin1', start, end)

/** Pictures by their first bytes. SVG is left out, since it can contain scripts. */
const pictures: Record<string, (head: Buffer) => boolean> = {
  'image/png': (head) => ascii(head, 0, 8) === '\x89PNG\r\n\x1a\n',
  'image/jpeg': (head) => ascii(head, 0, 3) === '\xff\xd8\xff',
  'image/gif': (head) => /^GIF8[79]a/.test(ascii(head, 0, 6)),
  'image/webp': (head) => ascii(head, 0, 4) === 'RIFF' && ascii(head, 8, 12) === 'WEBP',
  'image/avif': (head) => /^ftypavi[fs]/.test(ascii(head, 4, 12)),
  'image/x-icon': (head) => ascii(head, 0, 4) === '\0\0\x01\0',
}
const aliases: Record<string, string> = {
  'image/vnd.microsoft.icon': 'image/x-icon',
  'image/jpg': 'image/jpeg',
}

/** @param declared the type that the upload declared @param head the first bytes, as many as there are */
export function chooseContentType(declared: string, head: Buffer): string {
  const seen = Object.keys(pictures).find((type) => pictures[type]!(head))
  if (seen) return seen
  const type = declared.toLowerCase().split(';')[0]!.trim()
  const isWellFormed = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/.test(type)
  return isWellFormed && !((aliases[type] ?? type) in pictures) ? type : OCTETS
}

/** `text/plain` is safe, because `nosniff` is sent with it. */
export const isInline = (contentType: string): boolean =>
  contentType in pictures || contentType === 'text/plain'
