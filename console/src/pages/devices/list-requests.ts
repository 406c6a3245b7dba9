import { type CodeExample, example, listExample } from '../../parts/code/example.ts'
import type { Device } from './connection.ts'
import type { TabId } from './DevicePage.tsx'

const client = '/v1/providers/{providerId}/clients/{clientId}'
const PAGE = 100

/** The requests behind a tab of a device, for scripts. Values arrive live, over a connection that is no request. */
export function listRequests(tab: TabId, device: Device): CodeExample[] {
  const path = { providerId: device.providerId, clientId: device.id }
  const query = { limit: PAGE }
  const requests: Record<TabId, CodeExample[]> = {
    live: [],
    connect: [example('get', '/v1/endpoints')],
    twin: [
      example('get', `${client}/properties/reported`, { path }),
      example('get', `${client}/properties/desired`, { path }),
    ],
    methods: [example('post', `${client}/methods`, { path, body: { method: 'identify' } })],
    messages: [listExample(`${client}/dead-letters`, { path, query })],
    connections: [example('get', `${client}/connections`, { path, query })],
    bindings: [listExample(`${client}/bindings`, { path, query })],
    firmware: [listExample(`${client}/firmware-updates`, { path, query })],
    limits: [example('get', `${client}/limits`, { path })],
    credentials: [example('get', `${client}/credentials`, { path })],
  }
  return requests[tab]
}
