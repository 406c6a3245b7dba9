import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Reply {
  status: number
  headers?: Record<string, string>
  body: unknown
}

/** A fake onboarding service: gives the replies in order and repeats the last one. */
export interface OnboardingStandIn extends AsyncDisposable {
  url: string
  requests: { path: string; credentials: string }[]
}

export async function startOnboarding(...replies: [Reply, ...Reply[]]): Promise<OnboardingStandIn> {
  const requests: OnboardingStandIn['requests'] = []
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', credentials: basicCredentials(request) })
    const { status, headers, body } = replies[Math.min(requests.length, replies.length) - 1] ?? replies[0]
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function basicCredentials(request: IncomingMessage): string {
  const [scheme, value = ''] = (request.headers.authorization ?? '').split(' ')
  return scheme === 'Basic' ? Buffer.from(value, 'base64').toString() : ''
}
