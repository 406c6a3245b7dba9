import Type, { type Static } from 'typebox'
import { requirePermission } from '../../access/require.ts'
import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { type Caller, permission } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { ClientPath } from '../clients/schema.ts'
import { getClient } from '../clients/store.ts'
import type { Invocation } from '../kinds/provider-kind.ts'
import { getProviderKind } from '../kinds/get-provider-kind.ts'
import { ComponentId, METHOD_BODY_LIMIT, MethodName, Payload, TimeoutSeconds } from './invocation.ts'
import { getMethodTemplate } from './templates/store.ts'

const InvokeMethod = Type.Object({
  componentId: Type.Optional(ComponentId),
  method: Type.Optional(MethodName),
  methodTemplateId: Type.Optional({
    ...Uuid,
    description: 'Instead of `method`; other fields of the request override the template',
  }),
  payload: Type.Optional(Payload),
  timeoutSeconds: Type.Optional(TimeoutSeconds),
})

const MethodAnswer = Type.Object(
  {
    status: Type.Integer({ description: 'The status of the device; 200 is success' }),
    payload: Type.Unknown(),
  },
  { title: 'MethodAnswer' },
)

const DEFAULT_TIMEOUT_SECONDS = 30

export const methodRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/providers/{providerId}/clients/{clientId}/methods',
    operationId: 'invokeMethod',
    summary: "Invoke a direct method, or a method template, and wait for the device's answer",
    access: permission('manage', 'provider_client', (p) => p.clientId!),
    params: ClientPath,
    body: InvokeMethod,
    bodyLimit: METHOD_BODY_LIMIT,
    response: { 200: MethodAnswer },
    refuses: [422],
    handler: async ({ params, body, caller }) => {
      const invocation = await readInvocation(ctx, caller, body)
      const ref = { ...params, tenantId: caller.tenantId }
      const client = await getClient(ctx.db, ref)
      const kind = getProviderKind(client.provider_type)
      // The payload is not audited, because it may contain a secret of the device.
      const { payload: _, ...after } = invocation
      await recordAudit(ctx.db, caller, {
        action: 'invoke-method',
        resourceType: 'provider_client',
        resourceId: client.id,
        after: body.methodTemplateId ? { ...after, methodTemplateId: body.methodTemplateId } : after,
      })
      return kind.invokeMethod(ctx, ref, invocation)
    },
  }),
]

/** @throws validation_error; for the template not_found, forbidden */
async function readInvocation(
  ctx: Context,
  caller: Caller,
  { methodTemplateId, ...body }: Static<typeof InvokeMethod>,
): Promise<Invocation> {
  if ((body.method === undefined) === (methodTemplateId === undefined))
    throw validationError({ path: 'method', message: 'or methodTemplateId must be given, but not both' })
  if (methodTemplateId === undefined) {
    const { componentId = null, method, payload = null, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS } = body
    return { componentId, method: method!, payload, timeoutSeconds }
  }
  await requirePermission(ctx, caller, 'view', { type: 'provider_template', id: methodTemplateId })
  const template = await getMethodTemplate(ctx.db, caller.tenantId, methodTemplateId)
  const { componentId = template.component_id, payload = template.payload } = body
  const timeoutSeconds = body.timeoutSeconds ?? template.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS
  return { componentId, method: template.method, payload, timeoutSeconds }
}
