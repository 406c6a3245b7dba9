import Type from 'typebox'
import type { Context } from '../../context.ts'
import { privilegeInRoot } from '../../http/access.ts'
import { isDeviceId, onboardingPage, pageRequest } from '../../http/page.ts'
import { answer, route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { deviceShape } from '../devices/store.ts'
import { getEnrollmentGroup } from '../enrollment-groups/store.ts'
import { countDevices, isReadyForDerivedOnly, isReadyToFlip, listDevicesByKey } from './count-devices.ts'
import { deriveKeys } from './derive-keys.ts'
import { DerivedKeys, DeriveKeys, IfReady, Keys, KeysInUse, Readiness, ReadinessQuery } from './schema.ts'
import { flipBootstrapKeys, generateBootstrapKey, getBootstrapKeysInUse } from './store.ts'

const access = privilegeInRoot('provider_client_management')
const params = Type.Object({ id: Uuid })
const NDJSON = 'application/x-ndjson'
/** Room for 10,000 ids of 128 characters. */
const MAX_DERIVE_BYTES = 2 * 1024 * 1024

export const bootstrapKeyRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/api/enrollment-groups/{id}/keys',
    operationId: 'getBootstrapKeys',
    summary: 'The bootstrap keys of a group, and when each was generated and last used',
    access,
    secret: true,
    params,
    response: { 200: KeysInUse },
    handler: async ({ params: { id }, caller }) => {
      await ctx.settingsRecorder.flush()
      return getBootstrapKeysInUse(ctx.db, ctx.sealer, caller.tenantId, id)
    },
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
    query: IfReady,
    response: { 200: Keys },
    handler: async ({ params: { id }, query: { if_ready: ifReady }, caller }) => {
      if (ifReady) await ctx.settingsRecorder.flush()
      return flipBootstrapKeys(ctx.db, ctx.sealer, { actor: caller, groupId: id, ifReady })
    },
  }),
  route({
    method: 'POST',
    url: '/api/enrollment-groups/{id}/keys/derive',
    operationId: 'deriveKeys',
    summary: `Derive the keys of up to 10,000 devices; one JSON object per line with \`Accept: ${NDJSON}\``,
    access,
    secret: true,
    params,
    body: DeriveKeys,
    bodyLimit: MAX_DERIVE_BYTES,
    response: { 200: DerivedKeys },
    handler: async ({ params: { id }, body: { device_ids: deviceIds }, caller, request }) => {
      const form = request.headers.accept?.includes(NDJSON) ? 'ndjson' : 'json'
      const items = await deriveKeys(ctx, { actor: caller, groupId: id, deviceIds, form })
      return answer(200, items, {
        'content-type': form === 'ndjson' ? NDJSON : 'application/json; charset=utf-8',
      })
    },
  }),
  readinessRoute(ctx),
]

const readinessRoute = (ctx: Context) =>
  route({
    method: 'GET',
    url: '/api/enrollment-groups/{id}/keys/readiness',
    operationId: 'getKeyReadiness',
    summary: 'How many devices last used which key, and which devices a flip would lock out',
    access,
    params,
    query: ReadinessQuery,
    response: { 200: Readiness },
    handler: async ({ params: { id }, query, caller }) => {
      const page = pageRequest(query, isDeviceId)
      await ctx.settingsRecorder.flush()
      const group = await getEnrollmentGroup(ctx.db, caller.tenantId, id)
      const counts = await countDevices(ctx.db, group)
      const rows = await listDevicesByKey(ctx.db, { group, list: query.list }, page)
      return {
        ...counts,
        ready_to_flip: isReadyToFlip(counts, group),
        ready_for_derived_only: isReadyForDerivedOnly(counts),
        ...onboardingPage({ rows, limit: page.limit, key: (row) => row.device_id, shape: deviceShape }),
      }
    },
  })
