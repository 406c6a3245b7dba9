/** A direct method through the hub, which holds the request until the device answers. */
import { ApiError } from '../../../http/errors.ts'
import type { MethodResponse } from '../../pending-methods.ts'
import type { Invocation } from '../kind.ts'
import type { Hub } from './hub.ts'

const NOT_FOUND = 404
const GATEWAY_TIMEOUT = 504
/** What the hub may take beyond the device's time before it is the hub that does not answer. */
const HUB_MS = 10_000

/** @throws device_offline, device_timeout, and whatever the hub refuses */
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
        // A device that is offline fails at once; waiting for it is a command's. [docs/twins#methods]
        connectTimeoutInSeconds: 0,
      },
      timeoutMs: timeoutSeconds * 1000 + HUB_MS,
    },
    [GATEWAY_TIMEOUT, NOT_FOUND],
  )
  if (status === GATEWAY_TIMEOUT)
    throw new ApiError(
      'device_timeout',
      `${deviceId} did not answer ${method} within ${timeoutSeconds} seconds.`,
      { clientId: deviceId, method, timeoutSeconds },
    )
  if (status === NOT_FOUND) throw absent(deviceId, text)
  return { status: json.status as number, payload: json.payload ?? null }
}

/** Both are 404 to the hub, which tells them apart by its own codes. */
const absent = (deviceId: string, text: string) =>
  /404103|DeviceNotOnline/.test(text)
    ? new ApiError('device_offline', `${deviceId} is not connected to IoT Hub. Try again when it is.`, {
        clientId: deviceId,
      })
    : new ApiError(
        'conflict',
        `IoT Hub does not know ${deviceId}, or the module. Provision the client again.`,
      )
