import Type from 'typebox'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { FreeObject, Nullable } from '../../http/shapes.ts'
import { ClientPath } from '../clients/schema.ts'
import { getClient } from '../clients/store.ts'
import { kindOf } from '../kinds/kind-of.ts'

const InvokeMethod = Type.Object({
  componentId: Type.Optional(Nullable(Type.String({ maxLength: 128 }))),
  // It stands in an MQTT topic.
  method: Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$', description: 'Letters, digits, `.`, `_`, `-`' }),
  payload: Type.Optional(Nullable(FreeObject)),
  timeoutSeconds: Type.Optional(Type.Integer({ minimum: 5, maximum: 300, default: 30 })),
})

const MethodAnswer = Type.Object(
  { status: Type.Integer({ description: 'As the device says; 200 is success' }), payload: Type.Unknown() },
  { title: 'MethodAnswer' },
)

export const methodRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/providers/{providerId}/clients/{clientId}/methods',
    summary: "Invoke a direct method and wait for the device's answer",
    access: permission('manage', 'provider_client', (p) => p.clientId!),
    params: ClientPath,
    body: InvokeMethod,
    // With its envelope it has to fit into an MQTT message of 1 MB.
    bodyLimit: 900_000,
    response: { 200: MethodAnswer },
    handler: async ({ params, body, caller }) => {
      const { componentId = null, method, payload = null, timeoutSeconds = 30 } = body
      const ref = { ...params, tenantId: caller.tenantId }
      const client = await getClient(ctx.db, ref)
      const kind = kindOf(client.provider_type)
      // Without the payload, which may hold a secret of the device.
      const after = { componentId, method, timeoutSeconds }
      await recordAudit(ctx.db, caller, {
        action: 'invoke-method',
        resourceType: 'provider_client',
        resourceId: client.id,
        after,
      })
      return kind.invokeMethod(ctx, ref, { componentId, method, payload, timeoutSeconds })
    },
  }),
]
