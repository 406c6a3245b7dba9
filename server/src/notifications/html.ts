/**
 * A template is HTML if it contains a closing tag or a line break tag, and plain text otherwise; an email contains both
 * forms.
 */

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!)

export const isHtml = (template: string): boolean => /<\/[a-z][a-z0-9]*\s*>|<br\s*\/?>/i.test(template)

/** @returns HTML that shows the plain text, with `{{ackUrl}}` as a link; the other variables are not replaced yet */
export const htmlOfText = (template: string): string => {
  const lines = escapeHtml(template).replace(/\r?\n/g, '<br>\n')
  return `<p>${lines.replace(/\{\{\s*ackUrl\s*\}\}/g, '<a href="{{ackUrl}}">{{ackUrl}}</a>')}</p>`
}

/** Matches each tag and the text between tags, in linear time. */
const PIECES = /<([^<>]*)>|[^<]+|</g
const NAME = /^\/?[a-z][a-z0-9]*/i
const HREF = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i
const HIDDEN = ['style', 'script', 'head', 'title']
const ENDS_LINE = /^(br|\/(p|div|h[1-6]|li|tr|table|ul|ol))$/

/** @returns the text of the HTML, each link followed by its address; the variables are not replaced yet */
export function textOfHtml(template: string): string {
  let text = ''
  let hidden: string | undefined
  let link: { address: string; start: number } | undefined
  for (const [piece, tag] of template.matchAll(PIECES)) {
    const name = tag === undefined ? undefined : NAME.exec(tag)?.[0].toLowerCase()
    if (hidden) hidden = name === `/${hidden}` ? undefined : hidden
    else if (name === undefined) text += tag?.startsWith('!') ? '' : piece.replace(/\s+/g, ' ')
    else if (HIDDEN.includes(name)) hidden = name
    else if (ENDS_LINE.test(name)) text += '\n'
    else if (name === 'a') link = { address: hrefIn(tag!), start: text.length }
    else if (name === '/a' && link) {
      if (link.address && text.slice(link.start).trim() !== link.address) text += ` (${link.address})`
      link = undefined
    }
  }
  const lines = unescapeHtml(text).split('\n')
  return lines
    .map((line) => line.trim())
    .join('\n')
    .trim()
}

const hrefIn = (tag: string) => {
  const [, double, single] = HREF.exec(tag) ?? []
  return double ?? single ?? ''
}

/** `&amp;` is replaced last, so that `&amp;lt;` becomes `&lt;`. */
const unescapeHtml = (text: string) =>
  Object.entries({ ...ENTITIES, ' ': '&nbsp;' })
    .toReversed()
    .reduce((result, [sign, entity]) => result.replaceAll(entity, sign), text)
