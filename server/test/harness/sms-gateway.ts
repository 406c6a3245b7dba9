/** A fake SMS gateway: a real HTTP server that accepts Twilio's format and records messages. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface SmsGateway extends AsyncDisposable {
  /** The value of GANGWAY_SMS_URL, with credentials. */
  url: string
  requests: { method: string; path: string; authorization?: string; contentType?: string; form: object }[]
  /** Its next answers. */
  answer: { status: number; body: object | string }
}

export async function startSmsGateway(): Promise<SmsGateway> {
  const requests: SmsGateway['requests'] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const form = Object.fromEntries(new URLSearchParams(await text(request)))
    const { authorization, 'content-type': contentType } = headers
    requests.push({ method, path: url, authorization, contentType, form })
    const { status, body } = gateway.answer
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const gateway: SmsGateway = {
    url: `http://AC1:to%2Fken@127.0.0.1:${port}/2010-04-01/Accounts/AC1/Messages.json`,
    requests,
    answer: { status: 201, body: { sid: 'SM1' } },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  return gateway
}
