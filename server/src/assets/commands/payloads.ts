/** Checks the request and response payloads of commands against the asset's model. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { listModelContents } from '../models/contents.ts'
import { fitsSchema } from '../models/fits-schema.ts'
import type { EndpointContent } from '../models/model-endpoints.ts'
import { getModel } from '../models/store.ts'
import type { CommandRow } from '../../database/tables/commands.ts'

export type CommandContent = Extract<EndpointContent, { kind: 'command' }>

/** @returns undefined if the model has no such command */
export async function findCommandContent(
  db: Kysely<Tables>,
  asset: { tenant_id: string; model_id: string },
  componentId: string,
  name: string,
): Promise<CommandContent | undefined> {
  const contents = await listModelContents(db, await getModel(db, asset.tenant_id, asset.model_id))
  const found = contents.find(
    (content) =>
      content.kind === 'command' && content.name === name && (content.componentId ?? '') === componentId,
  )
  return found?.kind === 'command' ? found : undefined
}

/** @returns why the command does not accept the payload; undefined if it does */
export function findRequestProblem({ name, request }: CommandContent, payload: unknown): string | undefined {
  if (payload === null && (!request || request.nullable)) return undefined
  if (!request) return `must be absent or null: ${name} takes none`
  if (payload === null) return `must be given: ${name} takes ${request.schema.type}`
  if (fitsSchema(request.schema, payload)) return undefined
  return `does not fit the request of ${name}, which is ${request.schema.type}`
}

/**
 * Checks a device's response. A model without a response schema accepts anything.
 * @returns why the response does not fit the model, for the command's status message
 */
export async function findResponseProblem(
  db: Kysely<Tables>,
  command: CommandRow,
  payload: unknown,
): Promise<string | undefined> {
  const asset = await db
    .selectFrom('assets')
    .select(['tenant_id', 'model_id'])
    .where('number', '=', command.asset_number)
    .executeTakeFirst()
  const content = asset && (await findCommandContent(db, asset, command.component_id, command.name))
  if (!content?.response) return undefined
  const { name, response } = content
  if (payload === null ? response.nullable : fitsSchema(response.schema, payload)) return undefined
  return `response_unfit: The device did it, but its answer does not fit the response of ${name}, which is ${response.schema.type}.`
}
