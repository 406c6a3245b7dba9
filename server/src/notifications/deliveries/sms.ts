/** Sends SMS through an HTTP gateway that accepts Twilio's form. [docs/notifications#sending] */
import type { Context } from '../../context.ts'
import { OutboundError } from '../../lib/outbound.ts'
import type { Delivery } from './store.ts'
import { renderText } from './messages.ts'
import { SendError } from './send-error.ts'

/** @throws SendError */
export async function sendSms(
  { config, outbound }: Pick<Context, 'config' | 'outbound'>,
  delivery: Delivery,
  ackUrl: string,
): Promise<'sent' | 'not_configured'> {
  if (!config.smsUrl) return 'not_configured'
  const { url, headers } = splitCredentials(config.smsUrl)
  const form = new URLSearchParams({ To: delivery.address!, Body: renderText(delivery, ackUrl) })
  if (delivery.sender) form.set('From', delivery.sender)
  const { status, text } = await outbound
    .send({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      maxAnswerBytes: 64 * 1024,
    })
    .catch((error: unknown) => {
      if (!(error instanceof OutboundError)) throw error
      throw new SendError('sms_gateway_unavailable', error.message, { isRefused: false, isAnswered: false })
    })
  if (status >= 200 && status < 300) return 'sent'
  // These two statuses concern this message; any other concerns the gateway or our settings, and can be corrected.
  const isRefused = status === 400 || status === 422
  const reason = isRefused ? 'sms_gateway_refused' : 'sms_gateway_unavailable'
  throw new SendError(reason, `answered ${status}: ${messageIn(text)}`, { isRefused, isAnswered: isRefused })
}

function splitCredentials(text: string) {
  const url = new URL(text)
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  url.username = ''
  url.password = ''
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  const headers: Record<string, string> = credentials === ':' ? {} : { authorization }
  return { url: url.href, headers }
}

/** Twilio explains an error in `message`. */
function messageIn(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? '')
  } catch {
    return text
  }
}
