import type { Context } from '../../context.ts'
import { type ClientRef, getClient } from '../clients/store.ts'
import type { RemoteClients } from './provider-kind.ts'
import { kindOf } from './get-provider-kind.ts'

/** Where a client's other half is; nothing where all of it is here. @throws not_found */
export async function remoteOf(ctx: Context, ref: ClientRef): Promise<RemoteClients | undefined> {
  const { provider_type: type } = await getClient(ctx.db, ref)
  return kindOf(type).remote
}
