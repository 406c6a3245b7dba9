import Type from 'typebox'
import type { Context } from '../../context.ts'
import { privilegeInRoot } from '../../http/access.ts'
import { isUuid, onboardingPage, OnboardingSearchQuery, pageRequest } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import {
  checkAddresses,
  CreateRoutingTarget,
  RoutingTarget,
  RoutingTargetPage,
  RoutingTargetSummary,
  UpdateRoutingTarget,
} from './schema.ts'
import {
  deleteRoutingTarget,
  getRoutingTarget,
  insertRoutingTarget,
  listRoutingTargets,
  routingTargetShape,
  updateRoutingTarget,
} from './store.ts'

const access = privilegeInRoot('provider_management')
const params = Type.Object({ id: Uuid })

export const routingTargetRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/api/routing-targets',
    summary: 'Create a routing target: the brokers and the Provider API that its devices use',
    access,
    body: CreateRoutingTarget,
    response: { 201: RoutingTargetSummary },
    handler: async ({ body, caller }) => {
      checkAddresses(body)
      return routingTargetShape(await insertRoutingTarget(ctx.db, ctx.sealer, caller, body))
    },
  }),
  route({
    method: 'GET',
    url: '/api/routing-targets',
    summary: 'List routing targets',
    access,
    query: OnboardingSearchQuery,
    response: { 200: RoutingTargetPage },
    handler: async ({ query, caller }) => {
      const page = pageRequest(query, isUuid)
      const rows = await listRoutingTargets(ctx.db, caller.tenantId, { search: query.search, page })
      return onboardingPage({ rows, limit: page.limit, shape: routingTargetShape })
    },
  }),
  route({
    method: 'GET',
    url: '/api/routing-targets/{id}',
    summary: 'Get a routing target, without its secrets',
    access,
    params,
    response: { 200: RoutingTarget },
    handler: async ({ params: { id }, caller }) =>
      routingTargetShape(await getRoutingTarget(ctx.db, caller.tenantId, id)),
  }),
  route({
    method: 'PUT',
    url: '/api/routing-targets/{id}',
    summary: 'Update a routing target; absent fields keep their values, including secrets',
    access,
    params,
    body: UpdateRoutingTarget,
    response: { 200: RoutingTarget },
    handler: async ({ params: { id }, body, caller }) => {
      checkAddresses(body)
      return routingTargetShape(await updateRoutingTarget(ctx.db, ctx.sealer, { actor: caller, id, body }))
    },
  }),
  route({
    method: 'DELETE',
    url: '/api/routing-targets/{id}',
    summary: 'Delete a routing target that no enrollment group uses',
    access,
    params,
    response: { 204: null },
    handler: ({ params: { id }, caller }) => deleteRoutingTarget(ctx.db, caller, id),
  }),
]
