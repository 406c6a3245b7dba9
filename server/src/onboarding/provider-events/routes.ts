import Type from 'typebox'
import type { Context } from '../../context.ts'
import { webhookSignature } from '../../http/access.ts'
import { answer, route, type Route } from '../../http/route.ts'
import { applyDeviceDeleted, type Outcome } from './apply-event.ts'
import { readEvent } from './read-event.ts'
import type { SigningTarget } from './verify-signature.ts'

/** The size that a CloudEvents receiver must accept. */
export const MAX_EVENT_BYTES = 64 * 1024

const EventResult = Type.Object(
  { outcome: Type.Enum(['deleted', 'nothing_to_do', 'repeated', 'unknown_event']) },
  { title: 'ProviderEventResult' },
)

export const providerEventRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/api/webhooks/provider-events',
    operationId: 'receiveProviderEvent',
    summary: 'Receive an event of a provider, signed with the webhook secret of its routing target',
    access: webhookSignature<SigningTarget[]>(),
    // Providers may append their own parameters to the configured URL.
    unknownParameters: 'ignore',
    rawBody: { as: 'buffer', contentType: '*' },
    bodyLimit: MAX_EVENT_BYTES,
    response: { 200: EventResult, 202: EventResult },
    handler: async ({ body, caller: targets, request }) => {
      const { name, read } = readEvent(body)
      if (name !== 'device.deleted') {
        ctx.log.info(
          { reqId: request.id, event: name.slice(0, 256), targets: targets.map(({ id }) => id) },
          'unknown provider event',
        )
        return answer(202, { outcome: 'unknown_event' })
      }
      const event = read()
      const outcomes: Outcome[] = []
      for (const target of targets) outcomes.push(await applyDeviceDeleted(ctx, target, event))
      return answer(200, { outcome: summarize(outcomes) })
    },
  }),
]

/** An event applies to every target with the same secret; the answer has the outcome of the greatest effect. */
const summarize = (outcomes: Outcome[]): Outcome =>
  (['deleted', 'nothing_to_do'] as const).find((outcome) => outcomes.includes(outcome)) ?? 'repeated'
