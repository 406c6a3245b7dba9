/** A template is plain text, or HTML where it closes a tag or breaks a line; a mail has both parts. */

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!)

export const isHtml = (template: string): boolean => /<\/[a-z][a-z0-9]*\s*>|<br\s*\/?>/i.test(template)

/** @returns HTML that shows the plain text, its `{{ackUrl}}` as a link; its other variables are still in it */
export const htmlOfText = (template: string): string => {
  const lines = escapeHtml(template).replace(/\r?\n/g, '<br>\n')
  return `<p>${lines.replace(/\{\{\s*ackUrl\s*\}\}/g, '<a href="{{ackUrl}}">{{ackUrl}}</a>')}</p>`
}

/** @returns the text of the HTML, each link's address behind it; its variables are still in it */
export function textOfHtml(template: string): string {
  const text = template
    .replace(/<(style|script|head|title)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, '')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/<a\b[^>]*?\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>([\s\S]*?)<\/a\s*>/gi, linkText)
    .replace(/<br\s*\/?>|<\/(p|div|h[1-6]|li|tr|table|ul|ol)\s*>/gi, '\n')
    .replace(/<[a-z/!][^<>]*>/gi, '')
  return unescapeHtml(text)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim()
}

const linkText = (_all: string, double: string | undefined, single: string | undefined, shown: string) => {
  const address = double ?? single ?? ''
  return shown.trim() === address ? address : `${shown} (${address})`
}

/** `&amp;` last, so that `&amp;lt;` stays what it shows. */
const unescapeHtml = (text: string) =>
  Object.entries({ ...ENTITIES, ' ': '&nbsp;' })
    .toReversed()
    .reduce((result, [sign, entity]) => result.replaceAll(entity, sign), text)
