import type { Context } from '../../context.ts'
import { type ClientRef, getClient } from '../clients/store.ts'
import { componentProperties } from '../components.ts'
import { kindOf } from '../kinds/get-provider-kind.ts'
import type { Twin } from '../kinds/provider-kind.ts'
import type { Properties } from './merge-patch.ts'
import { getDesired, getReported } from './store.ts'

/**
 * One side of a twin, wherever it is kept. Of a component that is kept here `$version` is the client's.
 * @param componentId `''` is the client itself
 * @throws not_found, and what a provider elsewhere throws
 */
export async function getTwinSide(
  ctx: Context,
  ref: ClientRef,
  componentId: string,
  side: keyof Twin,
): Promise<Properties> {
  const { number, provider_type: type } = await getClient(ctx.db, ref)
  const { remote } = kindOf(type)
  if (remote) return (await remote.getTwin(ctx, ref, componentId))[side]
  return componentProperties(
    await (side === 'desired' ? getDesired : getReported)(ctx.db, number),
    componentId,
  )
}
