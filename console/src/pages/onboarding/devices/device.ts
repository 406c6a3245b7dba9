import type { Gangway, Schemas } from '@gangway/client'
import type { StateKind } from '../../../parts/StateMark.tsx'
import { withTimeout } from '../../devices/timeout.ts'

export type OnboardingDevice = Schemas['OnboardingDevice']

export const stateKinds: Record<OnboardingDevice['status'], StateKind> = {
  registered: 'warning',
  provisioned: 'good',
  deleted: 'off',
}

/** The lists of the key readiness, and `ready`: devices that are ready for a flip. */
export const keyLists = ['not_ready', 'old_key', 'replaced_key', 'raw_key', 'unseen', 'ready'] as const
export type KeyList = (typeof keyLists)[number]

const PAGE = 100
const PAGE_OF_SCAN = 1000

interface Place {
  groupId: string
  key: KeyList | ''
  search: string
}

/** Loads one page of the devices of a group, filtered by key or search text. */
export function loadDevices(
  api: Gangway,
  { groupId, key, search }: Place,
  cursor: string | undefined,
  given: AbortSignal,
) {
  const [path, signal] = [{ id: groupId }, withTimeout(given)]
  if (key === 'ready') return loadReady(api, groupId, cursor, given)
  if (key !== '')
    return api.page('/api/enrollment-groups/{id}/keys/readiness', {
      path,
      query: { list: key, limit: PAGE, cursor },
      signal,
    })
  const query = { limit: PAGE, search: search || undefined, cursor }
  return api.page('/api/enrollment-groups/{id}/devices', { path, query, signal })
}

/** The API has no list of ready devices: pages of all devices are filtered, and pages without matches are skipped. */
async function loadReady(api: Gangway, groupId: string, from: string | undefined, signal: AbortSignal) {
  let cursor: string | undefined = from
  for (;;) {
    const page = await api.page('/api/enrollment-groups/{id}/devices', {
      path: { id: groupId },
      query: { limit: PAGE_OF_SCAN, cursor },
      signal: withTimeout(signal),
    })
    const items = page.items.filter(
      ({ last_key_slot, status }) => last_key_slot === 'secondary' && status !== 'deleted',
    )
    if (items.length > 0 || page.cursor === null) return { items, cursor: page.cursor }
    cursor = page.cursor
  }
}

/** Finds a device by its id. The search result is sorted by id, so the device is usually on the first page. */
export async function findDevice(
  api: Gangway,
  groupId: string,
  deviceId: string,
  signal: AbortSignal,
): Promise<OnboardingDevice | null> {
  let cursor: string | undefined
  do {
    const page = await api.page('/api/enrollment-groups/{id}/devices', {
      path: { id: groupId },
      query: { limit: PAGE_OF_SCAN, search: deviceId, cursor },
      signal: withTimeout(signal),
    })
    const found = page.items.find(({ device_id }) => device_id === deviceId)
    if (found !== undefined) return found
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined)
  return null
}

export const registerDevice = (api: Gangway, groupId: string, deviceId: string) =>
  api.post('/api/enrollment-groups/{id}/devices', {
    path: { id: groupId },
    body: { device_id: deviceId },
    signal: withTimeout(),
  })

export const provisionDevice = (api: Gangway, groupId: string, deviceId: string) =>
  api.post('/provision_device', {
    body: { device_id: deviceId, enrollment_group_id: groupId },
    signal: withTimeout(),
  })

export const removeDevice = (api: Gangway, groupId: string, deviceId: string) =>
  api.delete('/api/enrollment-groups/{id}/devices/{deviceId}', {
    path: { id: groupId, deviceId },
    signal: withTimeout(),
  })
