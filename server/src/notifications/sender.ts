/** Whom a mail is from. Read here, so that no second address or header can hide in it. */
import type { MailAddress } from '../lib/mail.ts'

const ADDRESS = /^[^\s@<>",;:\\()[\]]+@[^\s@<>",;:\\()[\]]+$/

/** @param text `me@example.com` or `Name <me@example.com>`; @returns undefined where it is neither */
export function parseSender(text: string): MailAddress | undefined {
  if (/\p{Cc}/u.test(text)) return undefined
  const named = /^([^<>]*)<([^<>]+)>$/.exec(text.trim())
  const [name, address] = named
    ? [named[1]!.trim().replace(/^"(.*)"$/, '$1'), named[2]!.trim()]
    : ['', text.trim()]
  return ADDRESS.test(address) ? { name, address } : undefined
}
