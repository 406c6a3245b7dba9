import Type from 'typebox'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { FreeObject } from '../../http/shapes.ts'
import { ClientPath, ComponentQuery } from '../clients/schema.ts'
import { readDesiredBody } from './desired-body.ts'
import { getTwinSide } from './get-twin.ts'
import { setDesired } from './set-desired.ts'

const TwinProperties = Type.Object(
  { $version: Type.Integer({ description: 'Increases with each change' }) },
  { additionalProperties: true, title: 'TwinProperties' },
)

const canView = permission('view', 'provider_client', (p) => p.clientId!)

export const twinRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/properties/reported',
    operationId: 'getReportedProperties',
    summary: 'Get the properties that the device last reported',
    access: canView,
    params: ClientPath,
    query: ComponentQuery,
    response: { 200: TwinProperties },
    handler: ({ params, query, caller }) =>
      getTwinSide(ctx, { ...params, tenantId: caller.tenantId }, query.componentId ?? '', 'reported'),
  }),
  route({
    method: 'GET',
    url: '/v1/providers/{providerId}/clients/{clientId}/properties/desired',
    operationId: 'getDesiredProperties',
    summary: 'Get the desired properties of the device',
    access: canView,
    // A firmware update sets a property to a signed link.
    secret: true,
    params: ClientPath,
    query: ComponentQuery,
    response: { 200: TwinProperties },
    handler: ({ params, query, caller }) =>
      getTwinSide(ctx, { ...params, tenantId: caller.tenantId }, query.componentId ?? '', 'desired'),
  }),
  route({
    method: 'PUT',
    url: '/v1/providers/{providerId}/clients/{clientId}/properties/desired',
    operationId: 'updateDesiredProperties',
    summary: 'Merge into the desired properties (null removes one) and send them to the device',
    access: permission('manage', 'provider_client', (p) => p.clientId!),
    secret: true,
    params: ClientPath,
    refuses: [422],
    body: FreeObject,
    response: { 200: TwinProperties },
    handler: ({ params, body, caller }) => {
      const { componentId, properties } = readDesiredBody(body)
      return setDesired(ctx, caller, {
        ref: { ...params, tenantId: caller.tenantId },
        componentId,
        patch: properties,
      })
    },
  }),
]
