/** Cleans untrusted file names, and encodes them for browsers. */

export const MAX_CHARACTERS = 255
const MAX_EXTENSION = 20

/**
 * Control characters, and those that reverse the direction of writing: `exe.txt` must not be displayed as something
 * else.
 */
// oxlint-disable-next-line no-control-regex -- these are what it is about
const UNFIT = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** Returns the file name without a path; never empty. */
export function cleanFileName(given: string): string {
  const name = given
    .toWellFormed()
    .split(/[/\\]/)
    .at(-1)!
    .replace(UNFIT, '')
    .replace(/^[\s.]+|[\s.]+$/g, '')
  return shorten(name) || 'file'
}

/** Shortens a name and keeps its extension, which shows the type. */
function shorten(name: string) {
  if (name.length <= MAX_CHARACTERS) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && name.length - dot <= MAX_EXTENSION ? name.slice(dot) : ''
  // Cutting can split a surrogate pair.
  return name.slice(0, MAX_CHARACTERS - extension.length).replace(/[\ud800-\udbff]$/, '') + extension
}

/** Formats a header by RFC 6266: plain ASCII for old clients, and the exact name as RFC 5987 encodes it. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.codePointAt(0)!.toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
