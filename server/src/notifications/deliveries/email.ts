import type { Context } from '../../context.ts'
import { chooseSender } from '../sender.ts'
import type { Delivery } from './deliver.ts'
import { renderHtml, renderSubject, renderText } from './messages.ts'
import { SendError } from './send-error.ts'

/** As nodemailer throws it. */
interface SmtpError extends Error {
  code?: string
  /** What the server answered; without one it was not reached. */
  responseCode?: number
  response?: string
}

/** @throws SendError */
export const sendEmail = (ctx: Pick<Context, 'mailer' | 'config'>, delivery: Delivery, ackUrl: string) =>
  ctx.mailer
    .send({
      to: delivery.address!,
      ...chooseSender(delivery.sender, ctx.config),
      subject: renderSubject(delivery, ackUrl),
      text: renderText(delivery, ackUrl),
      html: renderHtml(delivery, ackUrl),
      messageId: `<${delivery.id}@gangway>`,
    })
    .catch((error: SmtpError) => {
      throw asSendError(error)
    })

/** A server's "never" (5xx) is about this mail and this address; its "not now" passes. [RFC 5321 §4.2.1] */
function asSendError({ code = 'no answer', responseCode, response = '' }: SmtpError): SendError {
  if (responseCode === undefined)
    return new SendError('mail_server_unavailable', `could not be reached (${code})`, true)
  // Credentials are the operator's to mend; the mail itself is sound.
  const isRefused = responseCode >= 500 && code !== 'EAUTH'
  return new SendError(isRefused ? 'mail_server_refused' : 'mail_server_unavailable', response, !isRefused)
}
