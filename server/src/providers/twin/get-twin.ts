import type { Context } from '../../context.ts'
import { type ClientRef, getClient } from '../clients/store.ts'
import { pickComponentProperties } from '../components.ts'
import { getProviderKind } from '../kinds/get-provider-kind.ts'
import type { Twin } from '../kinds/provider-kind.ts'
import type { Properties } from './merge-patch.ts'
import { getDesired, getReported } from './store.ts'

/**
 * Reads one side of a local or remote twin. A component of a local client has the `$version` of the client.
 * @param componentId `''` is the client itself
 * @throws not_found, and errors of a remote provider
 */
export async function getTwinSide(
  ctx: Context,
  ref: ClientRef,
  componentId: string,
  side: keyof Twin,
): Promise<Properties> {
  const { number, provider_type: type } = await getClient(ctx.db, ref)
  const { remote } = getProviderKind(type)
  if (remote) return (await remote.getTwin(ctx, ref, componentId))[side]
  return pickComponentProperties(
    await (side === 'desired' ? getDesired : getReported)(ctx.db, number),
    componentId,
  )
}
