/** Mail over SMTP. Where none is configured the platform works without, and says so once. [docs/notifications#sending] */
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
  /** @throws MailError when the mail server does not take the mail */
  send(mail: Mail): Promise<'sent' | 'not_configured'>
}

/** As nodemailer throws it. */
interface SmtpError extends Error {
  code?: string
  /** What the server answered; without one it was not reached. */
  responseCode?: number
  response?: string
}

const SERVICE_NOT_AVAILABLE = 421

export class MailError extends ReceiverError {
  /** The server will never take this mail for this address (5xx); anything else may pass. [RFC 5321 §4.2.1] */
  readonly isRefused: boolean

  constructor({ code = 'no answer', responseCode, response = '' }: SmtpError) {
    // Credentials are the operator's to mend: the mail itself is sound, and no other would be taken.
    const isAboutMail =
      responseCode !== undefined && code !== 'EAUTH' && responseCode !== SERVICE_NOT_AVAILABLE
    super(responseCode === undefined ? `could not be reached (${code})` : response, isAboutMail)
    this.isRefused = isAboutMail && responseCode >= 500
  }
}

/** Of each step of the conversation. */
const TIMEOUT_MS = 30_000
/** Of all of it: a server that answers one byte at a time does not hold a mail up for longer. */
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
      // As an object, no second address can hide in the first. Nothing in a mail is ever fetched from a file or an address.
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
