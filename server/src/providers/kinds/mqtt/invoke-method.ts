/** Invokes a direct method over MQTT: the request and the response have different topics. [docs/twins#methods] */
import type { Context } from '../../../context.ts'
import { ApiError, validationError } from '../../../http/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { METHOD_NAME } from '../../methods/invocation.ts'
import { fullMethodName } from '../../components.ts'
import type { ClientRef } from '../../clients/store.ts'
import { isConnectedElsewhere } from '../../method-relay/is-connected-elsewhere.ts'
import type { MethodResponse } from '../../pending-methods.ts'
import type { Invocation } from '../provider-kind.ts'

/**
 * A device that disconnects after it received the request may reconnect and answer until the timeout, which a method
 * such as `reboot` needs.
 */
export async function invokeMethod(
  ctx: Context,
  { clientId }: Pick<ClientRef, 'clientId'>,
  invocation: Invocation,
): Promise<MethodResponse> {
  const { componentId, payload, timeoutSeconds, correlationId = newId() } = invocation
  const method = fullMethodName(componentId, invocation.method)
  if (!METHOD_NAME.test(method))
    throw validationError({
      path: 'componentId',
      message: `makes the method name ${method}, but a name has 1 to 128 letters, digits, \`.\`, \`_\`, \`-\``,
    })
  // Registered before sending, because the response may arrive before this function continues.
  const answered = ctx.pendingMethods.wait(clientId, correlationId, timeoutSeconds)
  const request: Request = {
    clientId,
    topic: methodTopic(clientId, method),
    replyTo: {
      topic: `devices/${clientId}/methods/${method}/response/${correlationId}`,
      correlationData: correlationId,
    },
    message: JSON.stringify({ correlationId, payload, timeoutSeconds }),
  }
  if (!sendOnThisNode(ctx, request)) {
    const cancel = () => ctx.pendingMethods.cancel(clientId, correlationId)
    const refusal = await sendOnOtherNode(ctx, { request, method, answered }).catch((error) => {
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

type Request = Parameters<Context['methodRelay']['relayInvocation']>[0]

/** Sends to only one session: a device with several sessions must not execute the method twice. */
const sendOnThisNode = (ctx: Context, { clientId, topic, replyTo, message }: Request) =>
  ctx.liveSessions.list(clientId).some((session) => session.send(topic, message, replyTo))

export const methodTopic = (clientId: string, method: string): string =>
  `devices/${clientId}/methods/${method}/invoke`

/** @returns why the request was not sent; undefined if it was sent, or has been answered */
async function sendOnOtherNode(
  ctx: Context,
  { request, method, answered }: { request: Request; method: string; answered: Promise<unknown> },
): Promise<string | undefined> {
  const { clientId } = request
  if (!(await isConnectedElsewhere(ctx, clientId))) return explainUnreachable(ctx, clientId, method)
  const relayed = ctx.methodRelay.relayInvocation(request)
  const refusal = await Promise.race([relayed, answered.then(() => undefined)])
  if (refusal === undefined) return undefined
  return refusal === 'not_subscribed' ? notSubscribedMessage(clientId, method) : notConnectedMessage(clientId)
}

/** Says why the device cannot be reached on this node. */
export const explainUnreachable = (ctx: Context, clientId: string, method: string): string =>
  ctx.liveSessions.list(clientId).length === 0
    ? notConnectedMessage(clientId)
    : notSubscribedMessage(clientId, method)

const notConnectedMessage = (clientId: string) => `${clientId} is not connected. Try again when it is.`
const notSubscribedMessage = (clientId: string, method: string) =>
  `${clientId} is connected, but has not subscribed to ${methodTopic(clientId, method)}.`
