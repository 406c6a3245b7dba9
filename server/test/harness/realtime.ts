/** Clients of the real-time push with a bare WebSocket, and objects to subscribe to. */
import { WebSocket } from 'ws'
import type { StoredSample } from '../../src/timeseries/storage/stored-sample.ts'
import type { Platform, RequestOptions } from './platform.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into messages of every shape
type Message = any

export interface RealtimeClient {
  socket: WebSocket
  /** Empty until the first message. */
  connectionId: string
  reconnectionToken: string
  /** All messages that were received and not read yet. */
  messages: Message[]
  /** The next message, in order. */
  next(): Promise<Message>
  /** The data of the next messages. */
  take(count: number): Promise<Message[]>
  closed: Promise<{ code: number; reason: string }>
}

export interface Negotiation {
  url: string
  accessToken: string
}

export async function negotiate(platform: Platform, options?: RequestOptions): Promise<Negotiation> {
  const { status, body } = await platform.post('/v1/realtime/negotiate', undefined, options)
  if (status !== 200) throw new Error(`negotiate answered ${status}: ${JSON.stringify(body)}`)
  return body
}

export const RELIABLE = 'json.reliable.webpubsub.azure.v1'

/** @returns a client that has received the message that it is connected */
export async function connectRealtime(
  platform: Platform,
  protocol: string | undefined = RELIABLE,
  options?: RequestOptions,
): Promise<RealtimeClient> {
  const { url, accessToken } = await negotiate(platform, options)
  return openRealtime(`${url}?access_token=${accessToken}`, protocol)
}

export async function openRealtime(url: string, protocol: string | undefined = RELIABLE) {
  const client = listenTo(new WebSocket(url, protocol || undefined))
  const first = await Promise.race([client.next(), client.closed])
  if (first.event !== 'connected') throw new Error(`not connected: ${JSON.stringify(first)}`)
  client.connectionId = first.connectionId
  client.reconnectionToken = first.reconnectionToken
  return client
}

function listenTo(socket: WebSocket): RealtimeClient {
  const messages: Message[] = []
  const waiting: ((message: Message) => void)[] = []
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    const waiter = waiting.shift()
    if (waiter) waiter(message)
    else messages.push(message)
  })
  socket.on('error', () => {})
  const next = (): Promise<Message> =>
    messages.length > 0
      ? Promise.resolve(messages.shift())
      : new Promise((resolve) => void waiting.push(resolve))
  return {
    socket,
    connectionId: '',
    reconnectionToken: '',
    messages,
    next,
    take: async (count) => {
      const taken: Message[] = []
      while (taken.length < count) taken.push((await next()).data)
      return taken
    },
    closed: new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }))
    }),
  }
}

/** @returns status and body of the refusal of a WebSocket */
export function refusedRealtime(url: string, options: { protocol?: string; headers?: object } = {}) {
  const socket = new WebSocket(url, options.protocol ?? [], { headers: { ...options.headers } })
  return new Promise<{ status: number; body: Message }>((resolve, reject) => {
    socket.once('open', () => reject(new Error('it was opened')))
    socket.once('error', reject)
    socket.once('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += String(chunk)))
      response.on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) }))
    })
  })
}

/** A sample of tenant `default`, as if it had just been committed. */
export async function sampleMaker(platform: Platform) {
  const { number: tenantNumber } = await platform.ctx.db
    .selectFrom('tenants')
    .select('number')
    .where('id', '=', 'default')
    .executeTakeFirstOrThrow()
  return (ownerId: string, value: unknown, fields: Partial<StoredSample> = {}): StoredSample => ({
    tenantId: 'default',
    tenantNumber,
    ownerType: 'client',
    ownerId,
    componentId: '',
    name: 'temperature',
    type: 'telemetry',
    timeMs: Date.now(),
    value,
    ...fields,
  })
}

/** A provider client, whose telemetry no asset binds. */
export async function makeClient(platform: Platform, id: string, organizationId = platform.organizationId) {
  const body = { id, displayName: id, organizationId }
  const answer = await platform.post('/v1/providers/mqtt/clients', body)
  if (answer.status !== 201)
    throw new Error(`making a client answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return id
}
