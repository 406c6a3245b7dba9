/** Sends mail over SMTP. Without a configured server the platform works without mail and logs this once. [docs/notifications#sending] */
import { setTimeout as sleep } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { ReceiverError } from '../jobs/receiver.ts'

export interface MailAddress {
  name: string
  address: string
}

interface Mail {
  /** A single address. */
  to: string
  /** If absent, the configured sender. */
  from?: MailAddress
  replyTo?: MailAddress
  subject: string
  /** Plain text. It may contain a secret and is never logged. */
  text: string
  html?: string
  /** The same for each try, so that mail clients recognize duplicates. */
  messageId?: string
}

export interface Mailer {
  /** @throws MailError if the mail server does not accept the mail */
  send(mail: Mail): Promise<'sent' | 'not_configured'>
}

/** An error of nodemailer. */
interface SmtpError extends Error {
  code?: string
  /** Status of the server's answer; undefined if the server was not reached. */
  responseCode?: number
  response?: string
}

const SERVICE_NOT_AVAILABLE = 421

export class MailError extends ReceiverError {
  /** The server refused this mail permanently (5xx); other errors are temporary. [RFC 5321 §4.2.1] */
  readonly isRefused: boolean

  constructor({ code = 'no answer', responseCode, response = '' }: SmtpError) {
    // Wrong credentials and an unavailable service concern every mail, not this one.
    const isAboutMail =
      responseCode !== undefined && code !== 'EAUTH' && responseCode !== SERVICE_NOT_AVAILABLE
    super(responseCode === undefined ? `could not be reached (${code})` : response, isAboutMail)
    this.isRefused = isAboutMail && responseCode >= 500
  }
}

/** Limit of each step of the SMTP conversation. */
const TIMEOUT_MS = 30_000
/** Limit of the whole conversation, for servers that answer very slowly. */
const MAX_SENDING_MS = 90_000

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
      // An address object cannot contain a second address. File and URL access are off: no content is fetched.
      const closed = { disableFileAccess: true, disableUrlAccess: true }
      const sending = transport.sendMail({ ...rest, from, to: { name: '', address }, ...closed })
      await Promise.race([sending, tooLate()]).catch((error: SmtpError) => {
        throw new MailError(error)
      })
      return 'sent'
    },
  }
}

async function tooLate(): Promise<never> {
  await sleep(MAX_SENDING_MS, undefined, { ref: false })
  throw Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })
}

function unconfigured(log: Logger): Mailer['send'] {
  let warned = false
  return async () => {
    if (!warned) log.warn('a mail was not sent: set GANGWAY_SMTP_URL and GANGWAY_MAIL_FROM to send mail')
    warned = true
    return 'not_configured'
  }
}
