/**
 * A fake Azure IoT Hub: a real HTTP server that serves the part of its service API that providers of type
 * iothub use, checks the shared access signature of each request, and can throttle and hang.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mergePatch, type Properties } from '../../src/providers/twin/merge-patch.ts'
import type { Platform } from './platform.ts'

interface Twin {
  etag: string
  desired: Properties
  desiredVersion: number
  reported: Properties
}

interface Registered {
  identity: Properties & { etag: string }
  twin: Twin
}

interface HubCall {
  method: string
  path: string
  ifMatch: string | undefined
  body: Properties
  atMs: number
}

export interface StandInHub extends AsyncDisposable {
  hostName: string
  connectionString: string
  calls: HubCall[]
  /** By `device` or `device/module`. */
  registered: Map<string, Registered>
  /** Responses of connected devices to methods; a device without an entry is offline, one without a response times out. */
  online: Map<string, (method: string, payload: unknown) => { status: number; payload: unknown } | undefined>
  /** Answers the next requests instead of the hub; `hang` never answers. */
  next: ((response: ServerResponse) => void)[]
}

export const hang = () => {}
export const throttled = (retryAfter: string) => (response: ServerResponse) =>
  void response
    .writeHead(429, { 'retry-after': retryAfter })
    .end('{"Message":"ErrorCode:ThrottlingException"}')
export const refusing = (status: number, body: object) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export async function startStandInHub(): Promise<StandInHub> {
  const key = randomBytes(32)
  const hub = {
    calls: [] as HubCall[],
    registered: new Map(),
    online: new Map(),
    next: [],
  } as unknown as StandInHub
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://hub')
    const call: HubCall = {
      method: request.method!,
      path: url.pathname,
      ifMatch: request.headers['if-match'],
      body: await readBody(request),
      atMs: Date.now(),
    }
    hub.calls.push(call)
    const scripted = hub.next.shift()
    if (scripted) return scripted(response)
    const problem = signatureProblem(request.headers.authorization, hub.hostName, key)
    const [status, body] = problem
      ? [401, { Message: `ErrorCode:IotHubUnauthorizedAccess;${problem}` }]
      : url.searchParams.get('api-version') !== '2021-04-12'
        ? [400, { Message: 'ErrorCode:InvalidProtocolVersion' }]
        : answerTo(hub, call)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body && JSON.stringify(body))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  hub.hostName = `127.0.0.1:${(server.address() as AddressInfo).port}`
  hub.connectionString = `HostName=${hub.hostName};SharedAccessKeyName=iothubowner;SharedAccessKey=${key.toString('base64')}`
  hub[Symbol.asyncDispose] = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  return hub
}

/** A provider `hub`, whose clients are devices of the hub. */
export const makeHubProvider = ({ post, organizationId }: Platform, { connectionString }: StandInHub) =>
  post('/v1/providers', { id: 'hub', type: 'iothub', displayName: 'Hub', organizationId, connectionString })

/**
 * The format that Microsoft documents: `sr`, `sig`, `se`, `skn`; the signature covers the escaped resource, a line feed
 * and the expiry.
 */
export function signatureProblem(
  header: string | undefined,
  hostName: string,
  key: Buffer,
): string | undefined {
  const [scheme, fields = ''] = (header ?? '').split(' ')
  const [sr, sig, se, skn] = ['sr', 'sig', 'se', 'skn'].map((name) => new URLSearchParams(fields).get(name))
  if (scheme !== 'SharedAccessSignature') return 'no signature'
  if (sr !== hostName || skn !== 'iothubowner') return 'signed for something else'
  if (Number(se) * 1000 < Date.now()) return 'expired'
  if (Number(se) * 1000 > Date.now() + 3_600_000) return 'lives too long'
  const expected = createHmac('sha256', key)
    .update(`${encodeURIComponent(hostName)}\n${se}`)
    .digest('base64')
  return sig === expected ? undefined : 'wrong signature'
}

type Answer = [status: number, body?: object]
const notFound: Answer = [404, { Message: 'ErrorCode:DeviceNotFound;No such device' }]
const preconditionFailed: Answer = [412, { Message: 'ErrorCode:PreconditionFailed' }]

function answerTo(hub: StandInHub, call: HubCall): Answer {
  const [, kind, device = '', ...rest] = call.path.split('/').map(decodeURIComponent)
  const module = rest[0] === 'modules' ? rest[1] : undefined
  const action = module === undefined ? rest[0] : rest[2]
  const id = module === undefined ? device : `${device}/${module}`
  const found = hub.registered.get(id)
  if (kind === 'devices' && action === 'applyConfigurationContent') return applyContent(hub, device, call)
  if (kind === 'devices') return answerIdentity(hub, id, found, call)
  if (!found) return notFound
  if (action === 'methods') return answerMethod(hub, id, call)
  if (call.method === 'GET') return [200, twinShape(found)]
  if (!matches(call, found.twin.etag)) return preconditionFailed
  const { desired } = call.body.properties as { desired: Properties }
  found.twin.desired = mergePatch(found.twin.desired, desired)
  found.twin.desiredVersion++
  found.twin.etag = newEtag()
  return [200, twinShape(found)]
}

function answerIdentity(hub: StandInHub, id: string, found: Registered | undefined, call: HubCall): Answer {
  if (call.method === 'PUT' && call.ifMatch === undefined) {
    if (found) return [409, { Message: 'ErrorCode:DeviceAlreadyExists' }]
    return [200, register(hub, id, call.body).identity]
  }
  if (!found) return notFound
  if (call.method === 'GET') return [200, found.identity]
  if (!matches(call, found.identity.etag)) return preconditionFailed
  if (call.method === 'DELETE') {
    hub.registered.delete(id)
    return [204]
  }
  found.identity = { ...call.body, etag: newEtag() }
  return [200, found.identity]
}

export function register(hub: Pick<StandInHub, 'registered'>, id: string, identity: Properties): Registered {
  const twin = { etag: newEtag(), desired: {}, desiredVersion: 1, reported: {} }
  const registered = { identity: { ...identity, etag: newEtag() }, twin }
  hub.registered.set(id, registered)
  return registered
}

/** The manifest names the modules, which are created with it. */
function applyContent(hub: StandInHub, device: string, { body }: HubCall): Answer {
  if (!hub.registered.has(device)) return notFound
  for (const module of Object.keys(body.modulesContent as Properties))
    if (!hub.registered.has(`${device}/${module}`)) register(hub, `${device}/${module}`, { moduleId: module })
  return [204]
}

function answerMethod(hub: StandInHub, id: string, { body }: HubCall): Answer {
  const device = hub.online.get(id)
  const inner = (errorCode: number) => ({ Message: JSON.stringify({ errorCode, trackingId: 'x' }) })
  if (!device) return [404, inner(404103)]
  const answered = device(body.methodName as string, body.payload)
  return answered ? [200, answered] : [504, inner(504101)]
}

const twinShape = ({ identity, twin }: Registered) => ({
  deviceId: identity.deviceId,
  ...(identity.moduleId !== undefined && { moduleId: identity.moduleId }),
  status: identity.status ?? 'enabled',
  connectionState: 'Disconnected',
  etag: twin.etag,
  properties: {
    desired: { ...twin.desired, $metadata: {}, $version: twin.desiredVersion },
    reported: { ...twin.reported, $metadata: {}, $version: 1 },
  },
})

const matches = ({ ifMatch }: HubCall, etag: string) => ifMatch === '*' || ifMatch === `"${etag}"`
const newEtag = () => randomBytes(6).toString('base64')

async function readBody(request: IncomingMessage): Promise<Properties> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}
}
