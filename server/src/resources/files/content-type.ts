/**
 * What a file is. Whoever uploads it says so, but only for types that a browser does nothing with beyond showing them is
 * that checked and then believed; everything else is handed out to be saved, never to be opened in place.
 */

const OCTETS = 'application/octet-stream'

/** How many bytes from the start `contentTypeOf` needs. */
export const HEAD_BYTES = 16

const ascii = (head: Buffer, start: number, end: number) => head.toString('latin1', start, end)

/** Pictures, by their first bytes. SVG is none of them: it can hold scripts. */
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

/** @param declared what the upload said @param head the first bytes, as many as there are */
export function chooseContentType(declared: string, head: Buffer): string {
  const seen = Object.keys(pictures).find((type) => pictures[type]!(head))
  if (seen) return seen
  const type = declared.toLowerCase().split(';')[0]!.trim()
  const isWellFormed = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/.test(type)
  return isWellFormed && !((aliases[type] ?? type) in pictures) ? type : OCTETS
}

/** `text/plain` stays text: `nosniff` goes with it. */
export const isInline = (contentType: string): boolean =>
  contentType in pictures || contentType === 'text/plain'
