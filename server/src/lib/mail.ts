/** Mail over SMTP. Where none is configured the platform works without, and says so once. [contract §7] */
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

export interface MailAddress {
  name: string
  address: string
}

export interface Mail {
  /** One address. */
  to: string
  /** The configured sender where absent. */
  from?: MailAddress
  replyTo?: MailAddress
  subject: string
  /** Plain text. It may hold a secret, and so is never logged. */
  text: string
  html?: string
  /** The same for each try, so that a mail that came twice shows as one. */
  messageId?: string
}

export interface Mailer {
  /** @throws when the mail server does not take the mail; it is worth another try */
  send(mail: Mail): Promise<'sent' | 'not_configured'>
}

const TIMEOUT_MS = 30_000

export function createMailer(
  { smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>,
  log: Logger,
): Mailer {
  if (!smtpUrl) return { send: unconfigured(log) }
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS }
  const transport = createTransport({ url: smtpUrl, ...timeouts })
  return {
    async send(mail) {
      const { to: address, from = mailFrom, ...rest } = mail
      // As an object, no second address can hide in the first. Nothing in a mail is ever fetched from a file or an address.
      const closed = { disableFileAccess: true, disableUrlAccess: true }
      await transport.sendMail({ ...rest, from, to: { name: '', address }, ...closed })
      return 'sent'
    },
  }
}

function unconfigured(log: Logger): Mailer['send'] {
  let warned = false
  return async () => {
    if (!warned) log.warn('a mail was not sent: set GANGWAY_SMTP_URL and GANGWAY_MAIL_FROM to send mail')
    warned = true
    return 'not_configured'
  }
}
