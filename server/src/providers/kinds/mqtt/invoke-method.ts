/** A direct method over MQTT: invoked on one topic, answered on another. [interface: MQTT (device protocol)] */
import type { Context } from '../../../context.ts'
import { ApiError, validationError } from '../../../http/errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { ClientRef } from '../../clients/store.ts'
import type { MethodResponse } from '../../pending-methods.ts'
import type { Invocation } from '../kind.ts'

/**
 * A device that goes away while it is asked has until the time-out to come back and answer: a method such as
 * `reboot` is answered exactly like that.
 */
export async function invokeMethod(
  ctx: Context,
  { clientId }: Pick<ClientRef, 'clientId'>,
  invocation: Invocation,
): Promise<MethodResponse> {
  const { componentId, method, payload, timeoutSeconds, correlationId = newId() } = invocation
  if (componentId !== null)
    throw validationError({
      path: 'componentId',
      message: 'must be null: a client of type mqtt has no modules',
    })
  // Registered before it is sent, since the answer may come before this function goes on.
  const answered = ctx.pendingMethods.wait(clientId, correlationId, timeoutSeconds)
  const message = JSON.stringify({ correlationId, payload, timeoutSeconds })
  if (!send(ctx, clientId, method, message)) {
    ctx.pendingMethods.cancel(clientId, correlationId)
    throw new ApiError('device_offline', whyNot(ctx, clientId, method), { clientId, method })
  }
  const response = await answered
  if (response) return response
  throw new ApiError(
    'device_timeout',
    `${clientId} did not answer ${method} within ${timeoutSeconds} seconds.`,
    {
      clientId,
      method,
      correlationId,
      timeoutSeconds,
    },
  )
}

/** To one session alone: a device with several must not do the thing twice. */
const send = (ctx: Context, clientId: string, method: string, message: string) =>
  ctx.liveSessions.of(clientId).some((session) => session.send(methodTopic(clientId, method), message))

export const methodTopic = (clientId: string, method: string): string =>
  `devices/${clientId}/methods/${method}/invoke`

/** Why the device cannot be asked just now. */
export const whyNot = (ctx: Context, clientId: string, method: string): string =>
  ctx.liveSessions.of(clientId).length === 0
    ? `${clientId} is not connected. Try again when it is.`
    : `${clientId} is connected, but has not subscribed to ${methodTopic(clientId, method)}.`
