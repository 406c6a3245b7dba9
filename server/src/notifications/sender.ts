/**
 * The sender of an email. It is parsed here, so that no second address or header can hide in it. Mail servers trust
 * only the platform's own domains; a foreign address becomes the reply address.
 */
import type { Config } from '../config.ts'
import type { MailAddress } from '../lib/mail.ts'

const ADDRESS = /^[^\s@<>",;:\\()[\]]+@[^\s@<>",;:\\()[\]]+$/

export interface Sender {
  name: string
  /** Absent where only a display name is given. */
  address?: string
}

/**
 * @param text `Name`, `me@example.com` or `Name <me@example.com>`
 * @returns undefined for any other text
 */
export function parseSender(text: string): Sender | undefined {
  if (/\p{Cc}/u.test(text)) return undefined
  const trimmed = text.trim()
  const named = /^([^<>]*)<([^<>]+)>$/.exec(trimmed)
  if (!named && trimmed !== '' && !/[<>@]/.test(trimmed)) return { name: unquoted(trimmed) }
  const [name, address] = named ? [unquoted(named[1]!.trim()), named[2]!.trim()] : ['', trimmed]
  return ADDRESS.test(address) ? { name, address } : undefined
}

const unquoted = (name: string) => name.replace(/^"(.*)"$/, '$1')

export interface MailSender {
  /** The configured sender is used where this is absent. */
  from?: MailAddress
  replyTo?: MailAddress
}

/** @param text a notification's `from`; empty for the configured sender */
export function chooseSender(
  text: string,
  { mailFrom = '', mailFromDomains }: Pick<Config, 'mailFrom' | 'mailFromDomains'>,
): MailSender {
  const wanted = parseSender(text)
  const own = parseSender(mailFrom)
  if (!wanted || !own?.address) return {}
  const from = { name: wanted.name || own.name, address: own.address }
  const { name, address } = wanted
  if (address === undefined) return { from }
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  if (address === own.address || mailFromDomains.includes(domain)) return { from: { name, address } }
  return { from, replyTo: { name, address } }
}
