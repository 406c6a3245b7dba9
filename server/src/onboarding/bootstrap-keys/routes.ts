import Type from 'typebox'
import type { Context } from '../../context.ts'
import { privilegeInRoot } from '../../http/access.ts'
import { route, type Route } from '../../http/route.ts'
import { Nullable, Uuid } from '../../http/shapes.ts'
import { flipBootstrapKeys, generateBootstrapKey, getBootstrapKeys } from './store.ts'

const access = privilegeInRoot('provider_client_management')
const params = Type.Object({ id: Uuid })

const Keys = Type.Object(
  { primary_key: Nullable(Type.String()), secondary_key: Nullable(Type.String()) },
  { title: 'BootstrapKeys', description: 'Null if the slot is empty' },
)

export const bootstrapKeyRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/api/enrollment-groups/{id}/keys',
    operationId: 'getBootstrapKeys',
    summary: 'The bootstrap keys of a group',
    access,
    secret: true,
    params,
    response: { 200: Keys },
    handler: ({ params: { id }, caller }) => getBootstrapKeys(ctx.db, ctx.sealer, caller.tenantId, id),
  }),
  route({
    method: 'POST',
    url: '/api/enrollment-groups/{id}/keys/generate',
    operationId: 'generateBootstrapKey',
    summary: 'Fill the primary key slot, or the secondary one if the primary is filled',
    access,
    secret: true,
    params,
    response: { 201: Keys },
    handler: ({ params: { id }, caller }) =>
      generateBootstrapKey(ctx.db, ctx.sealer, { actor: caller, groupId: id }),
  }),
  route({
    method: 'POST',
    url: '/api/enrollment-groups/{id}/keys/flip',
    operationId: 'flipBootstrapKeys',
    summary: 'Make the secondary key primary; the previous primary key becomes invalid permanently',
    access,
    secret: true,
    params,
    notSupportedYet: ['if_ready'],
    response: { 200: Keys },
    handler: ({ params: { id }, caller }) =>
      flipBootstrapKeys(ctx.db, ctx.sealer, { actor: caller, groupId: id }),
  }),
]
