import type { Gangway, Schemas } from '@gangway/client'

export type Target = Schemas['RoutingTarget']
export type Group = Schemas['EnrollmentGroup']

/** The existing objects. */
export interface Known {
  targets: Target[]
  groups: Group[]
  endpoints: Schemas['Endpoints']
  /** Whether there are more targets or groups. */
  isCut: boolean
}

/** The choices of the first two steps. */
export interface Setup {
  /** Id of an existing routing target; empty for a new one on this server. */
  targetId: string
  host: string
  port: string
  isTls: boolean
  /** Id of an existing group of the target; empty for a new one. */
  groupId: string
  groupName: string
  deviceId: string
}

/** The objects created so far, so that a retry after a failure creates nothing twice. */
export interface Made {
  token?: string
  targetId?: string
  groupId?: string
}

export type Stage = 'target' | 'group' | 'key' | 'device' | 'provisioned'

/** The response template of groups created here: the fields that the examples of all languages read. */
export const template = {
  host: '{{target.host}}',
  port: '{{target.port}}',
  user: '{{device.id}}',
  primary: '{{device.primary_key}}',
  secondary: '{{device.secondary_key}}',
}

const PROVIDER = 'mqtt'

/** Creates the missing objects and provisions the device, so that it can fetch its settings. */
export async function setUp(
  api: Gangway,
  { setup, made, onStage }: { setup: Setup; made: Made; onStage: (stage: Stage) => void },
): Promise<{ groupId: string }> {
  onStage('target')
  const targetId = setup.targetId || (made.targetId ??= await makeTarget(api, setup, made))
  onStage('group')
  const groupId = setup.groupId || (made.groupId ??= await makeGroup(api, setup, targetId))
  onStage('key')
  const path = { id: groupId }
  const keys = await api.get('/api/enrollment-groups/{id}/keys', { path })
  if (keys.primary_key === null) await api.post('/api/enrollment-groups/{id}/keys/generate', { path })
  onStage('device')
  await api.post('/api/enrollment-groups/{id}/devices', { path, body: { device_id: setup.deviceId } })
  onStage('provisioned')
  await api.post('/provision_device', {
    body: { device_id: setup.deviceId, enrollment_group_id: groupId },
  })
  return { groupId }
}

async function makeTarget(api: Gangway, { host, port }: Setup, made: Made): Promise<string> {
  const name = `${host}:${port}`
  made.token ??= (
    await api.post('/v1/api-tokens', {
      body: { displayName: `Routing target ${name}`, privileges: ['provider_client_management'] },
    })
  ).token
  const endpoints = await api.get('/v1/endpoints')
  const { id } = await api.post('/api/routing-targets', {
    body: {
      name,
      brokers: [{ host, port: Number(port) }],
      // The server recognizes its own loopback address and calls the provider without HTTP.
      provider_base_url: `${endpoints.http}/v1/providers/${PROVIDER}`,
      provider_api_key: made.token,
      webhook_secret: makeSecret(),
    },
  })
  return id
}

async function makeGroup(api: Gangway, { groupName, port, isTls }: Setup, targetId: string): Promise<string> {
  const { id } = await api.post('/api/enrollment-groups', {
    body: {
      name: groupName,
      routing_target_id: targetId,
      // A key that is stolen from a device is then valid for that device only.
      key_policy: 'derived_only',
      // Devices use TLS on port 8883 by default; on other ports only if the settings request it.
      response_template: isTls && port !== '8883' ? { ...template, tls: true } : template,
    },
  })
  return id
}

/** `randomUUID` exists only on https and localhost. */
export const makeSecret = () =>
  [...crypto.getRandomValues(new Uint8Array(24))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** @returns the id of the provider on this server to which a target leads; null for another service */
export function findOwnProvider({ provider_base_url }: Pick<Target, 'provider_base_url'>, http: string) {
  const { hostname, port, pathname } = new URL(provider_base_url)
  const isOwn = hostname === location.hostname || (isLoopback(hostname) && port === new URL(http).port)
  const [, providerId] = /^\/v1\/providers\/([^/]+)\/?$/.exec(pathname) ?? []
  return isOwn && providerId !== undefined ? decodeURIComponent(providerId) : null
}

const DEVICE_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/

export function findProblems({ targetId, host, port, groupId, groupName, deviceId }: Setup) {
  const problems: Partial<Record<'host' | 'port' | 'groupName' | 'deviceId', true>> = {}
  if (targetId === '' && (host.trim() === '' || /[\s/@]/.test(host) || host.includes('://')))
    problems.host = true
  if (targetId === '' && !(Number.isInteger(Number(port)) && Number(port) >= 1 && Number(port) <= 65_535))
    problems.port = true
  if (groupId === '' && groupName.trim() === '') problems.groupName = true
  if (!DEVICE_ID.test(deviceId)) problems.deviceId = true
  return problems
}

export const readPort = (endpoint: string) => new URL(endpoint.replace(/^mqtts?:/, 'http:')).port

export const isLoopback = (host: string) => /^(?:127\.[\d.]+|localhost|\[?::1\]?)$/.test(host)
