/** Routes of simulations: devices of the platform that connect over real MQTT. [docs/simulations] */
import Type from 'typebox'
import { listOrganizationsOfPrivileges } from '../access/decisions/reach.ts'
import { requirePrivilegeIn, callerSubject } from '../access/require.ts'
import { audited } from '../audit/audited.ts'
import type { Context } from '../context.ts'
import { privilege } from '../http/access.ts'
import { isUuid, pageRequest, platformPage, PlatformSearchQuery } from '../http/page.ts'
import { route, type Route } from '../http/route.ts'
import {
  addFault,
  getOwnSimulation,
  removeSimulation,
  resourceType,
  startSimulation,
  stopSimulation,
} from './control-simulation.ts'
import { checkSimulation } from './check-simulation.ts'
import { FaultRequest, Fault } from './faults/fault.ts'
import { checkSignals } from './generators/signal.ts'
import { readFirmwareRules } from './firmware/schema.ts'
import { checkMethods } from './methods/method.ts'
import {
  ChangeSimulation,
  CreateSimulation,
  simulationFields,
  SimulationPath,
  SimulationRecord,
  simulationShape,
} from './schema.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'
import type { Simulations } from './simulations.ts'
import { getSimulationForUpdate, insertSimulation, listSimulations, updateSimulation } from './store.ts'

const access = privilege('provider_client_management')
const params = SimulationPath

type SimulationContext = Context & { simulations: Simulations }

export const simulationRoutes = (ctx: SimulationContext): Route[] => {
  const shapeSimulation = (row: SimulationRow) => simulationShape(row, ctx.simulations.findProgress(row.id))
  return [
    route({
      method: 'POST',
      url: '/v1/simulations',
      summary: 'Create a simulation of devices; another request starts it',
      access,
      body: CreateSimulation,
      response: { 201: SimulationRecord },
      handler: async ({ body, caller }) => {
        await requirePrivilegeIn(ctx, caller, 'provider_client_management', body.organizationId)
        const simulation = {
          ...body,
          signals: checkSignals(body.signals),
          methods: checkMethods(body.methods ?? []),
        }
        await checkSimulation(ctx, caller, simulation)
        if (body.firmware) await readFirmwareRules(ctx, caller, body.firmware)
        return audited(ctx.db, { actor: caller, action: 'create', resourceType }, async (tx) => {
          const row = await insertSimulation(tx, caller.tenantId, simulation)
          const after = simulationFields(row)
          return { after, result: shapeSimulation(row) }
        })
      },
    }),
    route({
      method: 'GET',
      url: '/v1/simulations',
      summary: 'List simulations of the organizations where the caller manages provider clients',
      access,
      query: PlatformSearchQuery,
      response: { 200: Type.Array(SimulationRecord) },
      handler: async ({ caller, query, request }) => {
        const page = pageRequest(query, isUuid)
        const question = {
          tenantId: caller.tenantId,
          subject: callerSubject(caller),
          privilege: 'provider_client_management' as const,
        }
        const [organizationIds] = await listOrganizationsOfPrivileges(ctx.pool, [question])
        const rows = await listSimulations(ctx.db, caller.tenantId, {
          organizationIds: organizationIds!,
          search: query.search,
          page,
        })
        return platformPage({ rows, limit: page.limit, shape: shapeSimulation, request })
      },
    }),
    route({
      method: 'GET',
      url: '/v1/simulations/{simulationId}',
      summary: 'Get a simulation with its progress',
      access,
      params,
      response: { 200: SimulationRecord },
      handler: async ({ params: { simulationId }, caller }) =>
        shapeSimulation(await getOwnSimulation(ctx, caller, simulationId)),
    }),
    route({
      method: 'PATCH',
      url: '/v1/simulations/{simulationId}',
      summary: "Change a simulation's name or description",
      access,
      params,
      body: ChangeSimulation,
      response: { 200: SimulationRecord },
      handler: async ({ params: { simulationId: id }, body, caller }) => {
        await getOwnSimulation(ctx, caller, id)
        return audited(ctx.db, { actor: caller, action: 'update', resourceType }, async (tx) => {
          const before = simulationFields(await getSimulationForUpdate(tx, caller.tenantId, id))
          const { displayName, description } = { ...before, ...body }
          const changes = { display_name: displayName, description }
          const row = await updateSimulation(tx, caller.tenantId, id, changes)
          const after = simulationFields(row)
          return { resourceId: id, before, after, result: shapeSimulation(row) }
        })
      },
    }),
    route({
      method: 'DELETE',
      url: '/v1/simulations/{simulationId}',
      summary: 'Stop and delete a simulation, with the provider clients and assets that it created',
      access,
      params,
      response: { 204: null },
      handler: ({ params: { simulationId }, caller }) => removeSimulation(ctx, caller, simulationId),
    }),
    ...actionRoutes(ctx, shapeSimulation),
  ]
}

const actionRoutes = (ctx: SimulationContext, shapeSimulation: (row: SimulationRow) => unknown): Route[] => [
  route({
    method: 'POST',
    url: '/v1/simulations/{simulationId}/start',
    operationId: 'startSimulation',
    summary: 'Start a simulation: its missing devices are created, and all connect',
    access,
    params,
    response: { 202: SimulationRecord },
    handler: async ({ params: { simulationId }, caller }) =>
      shapeSimulation(await startSimulation(ctx, caller, simulationId)),
  }),
  route({
    method: 'POST',
    url: '/v1/simulations/{simulationId}/stop',
    operationId: 'stopSimulation',
    summary: 'Stop a simulation: its devices disconnect, and are kept',
    access,
    params,
    response: { 202: SimulationRecord },
    handler: async ({ params: { simulationId }, caller }) =>
      shapeSimulation(await stopSimulation(ctx, caller, simulationId)),
  }),
  route({
    method: 'POST',
    url: '/v1/simulations/{simulationId}/faults',
    operationId: 'injectFault',
    summary: 'Let devices of a running simulation fail for a while',
    access,
    params,
    body: FaultRequest,
    response: { 202: Fault },
    handler: ({ params: { simulationId }, body, caller }) => addFault(ctx, caller, simulationId, body),
  }),
]
