import type { Context } from '../../context.ts'
import { MailError } from '../../lib/mail.ts'
import { chooseSender } from '../sender.ts'
import type { Delivery } from './store.ts'
import { renderHtml, renderSubject, renderText } from './messages.ts'
import { SendError } from './send-error.ts'

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
    .catch((error: unknown) => {
      if (!(error instanceof MailError)) throw error
      const reason = error.isRefused ? 'mail_server_refused' : 'mail_server_unavailable'
      throw new SendError(reason, error.message, error)
    })
