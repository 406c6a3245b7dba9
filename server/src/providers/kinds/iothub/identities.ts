/** Device and module identities in the hub's registry. By default they are not edge devices, use shared access signatures and are enabled. [docs/providers#iot-hub] */
import { isDeepStrictEqual } from 'node:util'
import { newKey } from '../../../lib/ids.ts'
import type { DeviceKeys } from '../../credentials/device-keys.ts'
import type { Hub } from './hub.ts'
import type { Target } from './paths.ts'

export interface Identity {
  etag: string
  status: 'enabled' | 'disabled'
  /** A device with certificates has no `symmetricKey`, or one without keys. */
  authentication?: { type: string; symmetricKey?: Partial<Record<keyof DeviceKeys, string | null>> }
  capabilities?: { iotEdge: boolean }
}

/** The wanted state of an identity. An absent field keeps its value, or gets the default. */
interface Wanted {
  enabled: boolean
  isEdge?: boolean
}

const kind = 'devices'
const MAX_TRIES = 3
const CONFLICT = 409
const PRECONDITION_FAILED = 412
const NOT_FOUND = 404

/** Creates the device, or updates the existing one, whose keys do not change. */
export async function ensureDevice(hub: Hub, deviceId: string, wanted: Wanted): Promise<Identity> {
  const target = { deviceId, moduleId: '' }
  const body = {
    deviceId,
    status: statusName(wanted.enabled),
    authentication: { type: 'sas', symmetricKey: newKeys() },
    capabilities: { iotEdge: wanted.isEdge ?? false },
  }
  const { status, json } = await hub.send({ method: 'PUT', kind, target, body }, [CONFLICT])
  if (status !== CONFLICT) return json as unknown as Identity
  return changeDevice(hub, deviceId, (found) => ({
    ...found,
    status: statusName(wanted.enabled),
    capabilities: { ...found.capabilities, iotEdge: wanted.isEdge ?? found.capabilities?.iotEdge ?? false },
  }))
}

/** Creates the module unless it exists. */
export async function ensureModule(hub: Hub, target: Target): Promise<void> {
  const authentication = { type: 'sas', symmetricKey: newKeys() }
  await hub.send({ method: 'PUT', kind, target, body: { ...target, authentication } }, [CONFLICT])
}

export const setDeviceEnabled = async (hub: Hub, deviceId: string, enabled: boolean): Promise<void> =>
  void (await changeDevice(hub, deviceId, (found) => ({ ...found, status: statusName(enabled) })))

/** The secondary key becomes primary. @returns undefined for a device without keys, which is not changed */
export async function rotateDeviceKeys(hub: Hub, deviceId: string): Promise<DeviceKeys | undefined> {
  const rotated = await changeDevice(hub, deviceId, (found) => {
    const keys = readKeys(found)
    if (!keys) return found
    const symmetricKey = { primaryKey: keys.secondaryKey, secondaryKey: newKey() }
    return { ...found, authentication: { type: 'sas', symmetricKey } }
  })
  return readKeys(rotated)
}

/** Succeeds also when the device does not exist. */
export const deleteDevice = async (hub: Hub, deviceId: string): Promise<void> =>
  void (await hub.send({ method: 'DELETE', kind, target: { deviceId, moduleId: '' }, ifMatch: '*' }, [
    NOT_FOUND,
  ]))

/** @returns undefined for a device with certificates */
export function readKeys({ authentication }: Identity): DeviceKeys | undefined {
  const { primaryKey, secondaryKey } = authentication?.symmetricKey ?? {}
  return primaryKey && secondaryKey ? { primaryKey, secondaryKey } : undefined
}

/** Reads, changes and writes the identity under its etag, and retries after a concurrent change. */
async function changeDevice(
  hub: Hub,
  deviceId: string,
  change: (found: Identity) => Identity,
): Promise<Identity> {
  const target = { deviceId, moduleId: '' }
  for (let tries = 1; ; tries++) {
    const found = (await hub.send({ method: 'GET', kind, target })).json as unknown as Identity
    const body = change(found)
    if (isDeepStrictEqual(body, found)) return found
    const request = { method: 'PUT', kind, target, body, ifMatch: found.etag } as const
    const { status, json } = await hub.send(request, tries < MAX_TRIES ? [PRECONDITION_FAILED] : [])
    if (status !== PRECONDITION_FAILED) return json as unknown as Identity
  }
}

const statusName = (enabled: boolean) => (enabled ? 'enabled' : 'disabled')
const newKeys = (): DeviceKeys => ({ primaryKey: newKey(), secondaryKey: newKey() })
