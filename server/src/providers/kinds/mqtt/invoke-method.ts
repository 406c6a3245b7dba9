/** A direct method over MQTT: invoked on one topic, answered on another. [docs/twins#methods] */
import type { Context } from '../../../context.ts'
import { ApiError, validationError } from '../../../http/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { METHOD_NAME } from '../../methods/invocation.ts'
import { methodOf } from '../../components.ts'
import type { ClientRef } from '../../clients/store.ts'
import { isElsewhere } from '../../handovers/is-elsewhere.ts'
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
  const { componentId, payload, timeoutSeconds, correlationId = newId() } = invocation
  const method = methodOf(componentId, invocation.method)
  if (!METHOD_NAME.test(method))
    throw validationError({
      path: 'componentId',
      message: `makes ${method} of the method, and a method has 1 to 128 characters of letters, digits, \`.\`, \`_\`, \`-\``,
    })
  // Registered before it is sent, since the answer may come before this function goes on.
  const answered = ctx.pendingMethods.wait(clientId, correlationId, timeoutSeconds)
  const message = JSON.stringify({ correlationId, payload, timeoutSeconds })
  if (!send(ctx, clientId, method, message)) {
    const cancel = () => ctx.pendingMethods.cancel(clientId, correlationId)
    const refusal = await sendElsewhere(ctx, { clientId, method, message }, answered).catch((error) => {
      cancel()
      throw error
    })
    if (refusal !== undefined) {
      cancel()
      throw new ApiError('device_offline', refusal, { clientId, method })
    }
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

interface Message {
  clientId: string
  method: string
  message: string
}

/** @returns why it was not sent; nothing where it was, or was answered even before that is known */
async function sendElsewhere(
  ctx: Context,
  { clientId, method, message }: Message,
  answered: Promise<unknown>,
): Promise<string | undefined> {
  if (!(await isElsewhere(ctx, clientId))) return whyNot(ctx, clientId, method)
  const handed = ctx.handovers.invocation({ clientId, topic: methodTopic(clientId, method), message })
  const refusal = await Promise.race([handed, answered.then(() => undefined)])
  if (refusal === undefined) return undefined
  return refusal === 'deaf' ? isDeaf(clientId, method) : isAway(clientId)
}

/** Why the device cannot be asked just now. */
export const whyNot = (ctx: Context, clientId: string, method: string): string =>
  ctx.liveSessions.of(clientId).length === 0 ? isAway(clientId) : isDeaf(clientId, method)

const isAway = (clientId: string) => `${clientId} is not connected. Try again when it is.`
const isDeaf = (clientId: string, method: string) =>
  `${clientId} is connected, but has not subscribed to ${methodTopic(clientId, method)}.`
