/** Provider type for Azure IoT Hub, over its REST API: devices connect to the hub, which stores identities and twins. [docs/providers#iot-hub] */
import type { Context } from '../../../context.ts'
import { ApiError } from '../../../http/errors.ts'
import type { ClientRef } from '../../clients/store.ts'
import { type DeviceKeys, type KeyColumns, sealedKeyColumns } from '../../credentials/device-keys.ts'
import type { ProviderKind } from '../provider-kind.ts'
import { openHub } from './hub.ts'
import { deleteDevice, ensureDevice, readKeys, rotateDeviceKeys, setDeviceEnabled } from './identities.ts'
import { invokeMethod } from './invoke-method.ts'
import { provisionDevice, readOptions } from './provision.ts'
import { describeTwin, getTwin, patchDesired } from './twins.ts'

export const iothubKind: ProviderKind = {
  onBroker: false,
  createClient: async (ctx, { enabled, ...ref }) =>
    keyColumns(ctx, ref, readKeys(await ensureDevice(await openHub(ctx, ref), ref.clientId, { enabled }))),
  invokeMethod: async (ctx, ref, invocation) =>
    invokeMethod(await openHub(ctx, ref), ref.clientId, invocation),
  remote: {
    setEnabled: async (ctx, ref, enabled) => setDeviceEnabled(await openHub(ctx, ref), ref.clientId, enabled),
    deleteClient: async (ctx, ref) => deleteDevice(await openHub(ctx, ref), ref.clientId),
    provision: async (ctx, { enabled, ...ref }, given) => {
      const hub = await openHub(ctx, ref)
      const options = readOptions(hub, given)
      return keyColumns(ctx, ref, readKeys(await provisionDevice(hub, ref.clientId, enabled, options)))
    },
    rotateKeys: async (ctx, ref) => {
      const keys = await rotateDeviceKeys(await openHub(ctx, ref), ref.clientId)
      if (!keys) throw new ApiError('conflict', `The provider client ${ref.clientId} signs in without keys.`)
      return keyColumns(ctx, ref, keys)
    },
    describe: async (ctx, ref, componentId) =>
      describeTwin(await openHub(ctx, ref), { deviceId: ref.clientId, moduleId: componentId }),
    getTwin: async (ctx, ref, componentId) =>
      getTwin(await openHub(ctx, ref), { deviceId: ref.clientId, moduleId: componentId }),
    patchDesired: async (ctx, ref, componentId, patch) =>
      patchDesired(await openHub(ctx, ref), { deviceId: ref.clientId, moduleId: componentId }, patch),
  },
}

/** The hub stores the keys; a sealed copy is used for settings while the hub is busy or unavailable. */
const keyColumns = (
  { sealer }: Context,
  { tenantId, clientId }: ClientRef,
  keys: DeviceKeys | undefined,
): Partial<KeyColumns> => (keys ? sealedKeyColumns(sealer, tenantId, clientId, keys) : {})
