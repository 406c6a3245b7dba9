import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { kindOf } from '../kinds/kind-of.ts'
import { clientShape } from './schema.ts'
import { type ClientRef, getClient } from './store.ts'

/**
 * The record, for clients that somebody else keeps with what that knows in `providerData.remote`. Where it does not
 * answer, our record is shown all the same, with the reason. [docs/providers#clients]
 * @param componentId a module of it; `''` is the client itself
 * @throws not_found
 */
export async function showClient(ctx: Context, ref: ClientRef, componentId: string) {
  const row = await getClient(ctx.db, ref)
  const record = clientShape(row)
  const { remote } = kindOf(row.provider_type)
  if (!remote) return record
  const described = await remote.describe(ctx, ref, componentId).catch((error: unknown) => {
    if (error instanceof ApiError) return { error: error.code, message: error.message }
    throw error
  })
  return { ...record, providerData: { ...record.providerData, remote: described } }
}
