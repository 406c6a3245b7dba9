import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface WebhookReceiver extends AsyncDisposable {
  url: string
  /** The status of the answers from now on. */
  status: number
  /** Bodies of the requests that were answered with 2xx. */
  accepted: { event: string; device_id: string }[]
  /** How many requests were answered with anything else. */
  refused: number
}

/** A real receiver of webhooks, which can fail and recover. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (receiver.status < 300) receiver.accepted.push(JSON.parse(body))
    else receiver.refused++
    response.writeHead(receiver.status).end()
  })
  const receiver: WebhookReceiver = {
    url: '',
    status: 204,
    accepted: [],
    refused: 0,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`
  return receiver
}
