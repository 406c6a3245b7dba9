/** Routes that send commands to assets. [docs/assets#commands] */
import Type, { type Static } from 'typebox'
import { audited } from '../../audit/audited.ts'
import type { Context } from '../../context.ts'
import { type Caller, permission } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { isUuid, pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { getAsset } from '../records/store.ts'
import type { CommandContext } from './queue.ts'
import {
  CancelCommand,
  CommandPath,
  CommandRecord,
  commandShape,
  ComponentQuery,
  SendCommand,
} from './schema.ts'
import { sendCommand } from './send-command.ts'
import { type CommandPlace, getCancellable, getLastCommand, listCommands, updateCommand } from './store.ts'

const assetId = (p: Record<string, string>) => p.assetId!
const url = '/v1/assets/{assetId}/commands/{commandName}'

export const commandRoutes = (ctx: CommandContext): Route[] => [
  route({
    method: 'POST',
    url,
    operationId: 'sendCommand',
    summary: 'Send a command to an asset; it goes to the client that it is bound to',
    access: permission('manage', 'asset', assetId),
    params: CommandPath,
    body: SendCommand,
    // The payload with its envelope has to fit into an MQTT message of 1 MB.
    bodyLimit: 900_000,
    response: { 202: CommandRecord },
    handler: async ({ params, body, caller }) =>
      commandShape(
        await sendCommand(ctx, caller, { assetId: params.assetId, name: params.commandName, body }),
      ),
  }),
  route({
    method: 'GET',
    url,
    operationId: 'getCommand',
    summary: 'Get the status of the last command of the name',
    access: permission('view', 'asset', assetId),
    params: CommandPath,
    query: ComponentQuery,
    response: { 200: CommandRecord },
    handler: async ({ params, query, caller }) =>
      commandShape(await getLastCommand(ctx.db, await findPlace(ctx, caller, params, query.componentId))),
  }),
  route({
    method: 'GET',
    url: `${url}/history`,
    operationId: 'listCommands',
    summary: 'List the commands of the name, the newest first',
    access: permission('view', 'asset', assetId),
    params: CommandPath,
    query: Type.Object({ ...PlatformPageQuery.properties, ...ComponentQuery.properties }),
    response: { 200: Type.Array(CommandRecord) },
    handler: async ({ params, query, caller, request }) => {
      const page = pageRequest(query, isUuid)
      const rows = await listCommands(ctx.db, await findPlace(ctx, caller, params, query.componentId), page)
      return platformPage({ rows, limit: page.limit, shape: commandShape, request })
    },
  }),
  route({
    method: 'POST',
    url: `${url}/cancel`,
    operationId: 'cancelCommand',
    summary: 'Cancel a command that is still queued',
    access: permission('manage', 'asset', assetId),
    params: CommandPath,
    body: CancelCommand,
    response: { 200: CommandRecord },
    handler: ({ params, body, caller }) => cancelCommand(ctx, caller, params, body),
  }),
]

async function findPlace(
  { db }: Context,
  { tenantId }: Caller,
  params: Static<typeof CommandPath>,
  componentId: string | null | undefined,
): Promise<CommandPlace> {
  const asset = await getAsset(db, tenantId, params.assetId)
  return { assetNumber: asset.number, componentId: componentId ?? '', name: params.commandName }
}

async function cancelCommand(
  ctx: Context,
  caller: Caller,
  params: Static<typeof CommandPath>,
  { commandId, componentId }: Static<typeof CancelCommand>,
) {
  const place = await findPlace(ctx, caller, params, componentId)
  const { id } = await getCancellable(ctx.db, place, commandId ?? undefined)
  return audited(ctx.db, { actor: caller, action: 'cancel-command', resourceType: 'asset' }, async (tx) => {
    const row = await updateCommand(tx, id, 'cancelled')
    if (!row) throw new ApiError('conflict', `The command ${id} is no longer queued and cannot be cancelled.`)
    return {
      resourceId: params.assetId,
      after: { commandId: id, name: place.name, componentId: place.componentId },
      result: commandShape(row),
    }
  })
}
