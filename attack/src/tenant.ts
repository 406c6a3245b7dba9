/** A tenant with the API of its administrator and its own devices. */
import { connectAsync, type MqttClient } from 'mqtt'

interface Answer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  body: any
}

export interface DeviceAccount {
  brokerUrl: string
  deviceId: string
  password: string
}

export interface Tenant {
  id: string
  organizationId: string
  url: string
  mqttPort: number
  headers(): Record<string, string>
  /** Sends a string as application/x-ndjson and anything else as JSON. */
  request(method: string, path: string, body?: unknown): Promise<Answer>
  /** @throws if the answer is not a success */
  make(method: string, path: string, body?: unknown): Promise<Answer['body']>
  makeDevice(id: string, providerData?: object): Promise<void>
  getAccount(deviceId: string): Promise<DeviceAccount>
  connectDevice(id: string): Promise<MqttClient>
  end(): Promise<void>
}

const password = 'attack and defence 1'

export async function makeTenant(id: string, admin: Tenant): Promise<Tenant> {
  const email = `admin@${id}.example`
  await admin.make('POST', '/v1/tenants', {
    id,
    displayName: id,
    administrator: { displayName: 'Administrator', email, password },
  })
  const { accessToken } = await admin.make('POST', '/v1/auth/login', { username: email, password })
  return tenantAt({ id, url: admin.url, token: accessToken, mqttPort: admin.mqttPort })
}

interface Access {
  id: string
  url: string
  token: string
  mqttPort: number
}

export async function tenantAt({ id, url, token, mqttPort }: Access): Promise<Tenant> {
  const clients: MqttClient[] = []
  const headers = () => ({ authorization: `Bearer ${token}` })
  const tenant: Tenant = {
    id,
    organizationId: '',
    url,
    mqttPort,
    headers,
    request: (method, path, body) => request(url + path, { method, headers: headers(), body }),
    async make(method, path, body) {
      const answer = await tenant.request(method, path, body)
      if (answer.status >= 300)
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    async makeDevice(deviceId, providerData = {}) {
      const { organizationId } = tenant
      await tenant.make('POST', '/v1/providers/mqtt/clients', {
        id: deviceId,
        displayName: deviceId,
        organizationId,
        providerData,
      })
    },
    async getAccount(deviceId) {
      const { primaryKey } = await tenant.make('GET', `/v1/providers/mqtt/clients/${deviceId}/credentials`)
      return { brokerUrl: `mqtt://127.0.0.1:${mqttPort}`, deviceId, password: primaryKey }
    },
    async connectDevice(deviceId) {
      const connection = await connect(await tenant.getAccount(deviceId))
      clients.push(connection)
      return connection
    },
    async end() {
      for (const client of clients.splice(0)) await client.endAsync(true)
    },
  }
  tenant.organizationId = await findRootOrganization(tenant)
  return tenant
}

async function request(
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body: unknown },
): Promise<Answer> {
  const contentType = typeof body === 'string' ? 'application/x-ndjson' : 'application/json'
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': contentType }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : parse(text) }
}

async function connect({ brokerUrl, deviceId, password: key }: DeviceAccount): Promise<MqttClient> {
  const connection = await connectAsync(brokerUrl, { clientId: deviceId, username: deviceId, password: key })
  connection.on('error', () => {})
  return connection
}

async function findRootOrganization(tenant: Tenant): Promise<string> {
  const organizations = await tenant.make('GET', '/v1/organizations')
  return organizations.find(
    (one: { parentOrganizationId: string | null }) => one.parentOrganizationId === null,
  ).id
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
