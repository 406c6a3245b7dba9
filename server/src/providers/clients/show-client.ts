import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { getProviderKind } from '../kinds/get-provider-kind.ts'
import { clientShape } from './schema.ts'
import { type ClientRef, getClient } from './store.ts'

/**
 * Returns the record of a client. For a remote provider it has the provider's description in `providerData.remote`, or
 * the reason why the provider does not answer. [docs/providers#clients]
 * @param componentId a module of the client; `''` is the client itself
 * @throws not_found
 */
export async function showClient(ctx: Context, ref: ClientRef, componentId: string) {
  const row = await getClient(ctx.db, ref)
  const record = clientShape(row)
  const { remote } = getProviderKind(row.provider_type)
  if (!remote) return record
  const described = await remote.describe(ctx, ref, componentId).catch((error: unknown) => {
    if (error instanceof ApiError) return { error: error.code, message: error.message }
    throw error
  })
  return { ...record, providerData: { ...record.providerData, remote: described } }
}
