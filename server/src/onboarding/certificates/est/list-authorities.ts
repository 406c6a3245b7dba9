import type { Context } from '../../../context.ts'
import { listAuthorities } from '../authorities/store.ts'

/**
 * The authorities that devices of a tenant may trust, DER: the active one first, retired ones as long as their certificates
 * may be in use, then those above them up to the roots.
 */
export async function listTrustedAuthorities(ctx: Context, tenantId: string): Promise<Buffer[]> {
  await ctx.authorities.getIssuing(tenantId)
  const rows = (await listAuthorities(ctx.db, tenantId)).filter(
    ({ status, not_after: notAfter }) => status !== 'revoked' && notAfter.getTime() > Date.now(),
  )
  const active = rows.filter(({ status, kind }) => status === 'active' && kind === 'issuing')
  const issuing = [...active, ...rows.filter(({ kind }) => kind === 'issuing')]
  const all = [
    ...issuing.map(({ certificate }) => certificate),
    ...issuing.flatMap(({ chain }) => chain),
    ...rows.filter(({ kind }) => kind === 'root').map(({ certificate }) => certificate),
  ]
  return [...new Map(all.map((der) => [der.toString('latin1'), der])).values()]
}
