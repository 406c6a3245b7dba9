import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface WebhookReceiver<Received> extends AsyncDisposable {
  url: string
  received: Received[]
}

/** Answers every request with 200. @param read what is kept of a request */
export async function startWebhookReceiver<Received>(
  read: (body: string, headers: IncomingHttpHeaders) => Received,
): Promise<WebhookReceiver<Received>> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push(read(body, request.headers))
    response.writeHead(200).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
