import type { Context } from '../../context.ts'
import { type ClientRef, getClient } from '../clients/store.ts'
import type { RemoteClients } from './provider-kind.ts'
import { getProviderKind } from './get-provider-kind.ts'

/** Returns the operations of a client's remote provider; undefined for a local client. @throws not_found */
export async function findRemote(ctx: Context, ref: ClientRef): Promise<RemoteClients | undefined> {
  const { provider_type: type } = await getClient(ctx.db, ref)
  return getProviderKind(type).remote
}
