/** Invokes a direct method through the hub, which answers the request after the device has answered. */
import { ApiError } from '../../../http/errors.ts'
import type { MethodResponse } from '../../pending-methods.ts'
import type { Invocation } from '../provider-kind.ts'
import type { Hub } from './hub.ts'

const NOT_FOUND = 404
const GATEWAY_TIMEOUT = 504
/** The hub's own time in addition to the device's timeout; after that the hub is considered unavailable. */
export const HUB_GRACE_MS = 10_000

/** @throws device_offline, device_timeout, and errors of the hub */
export async function invokeMethod(
  hub: Hub,
  deviceId: string,
  { componentId, method, payload, timeoutSeconds }: Invocation,
): Promise<MethodResponse> {
  const { status, json, text } = await hub.send(
    {
      method: 'POST',
      kind: 'twins',
      target: { deviceId, moduleId: componentId ?? '' },
      action: '/methods',
      body: {
        methodName: method,
        payload,
        responseTimeoutInSeconds: timeoutSeconds,
        // The call fails at once if the device is offline; only commands wait for a device. [docs/twins#methods]
        connectTimeoutInSeconds: 0,
      },
      timeoutMs: timeoutSeconds * 1000 + HUB_GRACE_MS,
    },
    [GATEWAY_TIMEOUT, NOT_FOUND],
  )
  if (status === GATEWAY_TIMEOUT)
    throw new ApiError(
      'device_timeout',
      `${deviceId} did not answer ${method} within ${timeoutSeconds} seconds.`,
      { clientId: deviceId, method, timeoutSeconds },
    )
  if (status === NOT_FOUND) throw notFoundError(deviceId, text)
  return { status: json.status as number, payload: json.payload ?? null }
}

/** The hub answers 404 for an offline and for an unknown device, with different error codes. */
const notFoundError = (deviceId: string, text: string) =>
  /404103|DeviceNotOnline/.test(text)
    ? new ApiError('device_offline', `${deviceId} is not connected to IoT Hub. Try again when it is.`, {
        clientId: deviceId,
      })
    : new ApiError('conflict', `IoT Hub does not know ${deviceId} or the module. Provision the client again.`)
