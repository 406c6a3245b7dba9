/** A fake external provider: a real HTTP server with the Provider API, which can also misbehave. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Handler = (
  request: IncomingMessage & { json: unknown },
  response: ServerResponse,
) => void | Promise<void>

export interface FakeProvider extends AsyncDisposable {
  url: string
  /** `POST /clients/validate {"id":"a"}`, in the order of arrival. */
  calls: string[]
  /** Ids of the clients that it has. */
  clients: Set<string>
  mostInFlight(): number
  /** Replaces the answers from now on; undefined restores the correct ones. */
  behave(handler?: Handler): void
}

export const fakeProviderKey = 'fake-provider-key'
export const fakeCredentials = (id: string) => ({
  primaryKey: `primary of ${id}`,
  secondaryKey: `secondary of ${id}`,
})

export async function startFakeProvider(): Promise<FakeProvider> {
  const clients = new Set<string>()
  const calls: string[] = []
  let handler: Handler = wellBehaved(clients)
  let inFlight = 0
  let most = 0
  const server = createServer(async (request, response) => {
    most = Math.max(most, ++inFlight)
    response.on('close', () => inFlight--)
    const text = await readText(request)
    calls.push(`${request.method} ${request.url} ${text}`.trim())
    await handler(Object.assign(request, { json: text ? JSON.parse(text) : undefined }), response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    clients,
    mostInFlight: () => most,
    behave: (next = wellBehaved(clients)) => {
      handler = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** [docs/providers#provider-api] */
const wellBehaved =
  (clients: Set<string>): Handler =>
  (request, response) => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.headers.authorization !== `Bearer ${fakeProviderKey}`)
      return void answer(401, { error: 'unauthorized' })
    const { id } = (request.json ?? {}) as { id?: string }
    if (request.url === '/clients/validate') return void answer(200, { valid: true })
    if (request.url === '/clients') {
      const status = clients.has(id!) ? 409 : 201
      clients.add(id!)
      return void answer(status, { id })
    }
    const [, asked] = /^\/clients\/([^/]+)\/credentials$/.exec(request.url!) ?? []
    return void (asked && clients.has(asked)
      ? answer(200, fakeCredentials(asked))
      : answer(404, { error: 'not_found' }))
  }

async function readText(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
