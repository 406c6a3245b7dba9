import { publicUrl } from '../../http/public-url.ts'
import type { Runtime } from '../../runtime.ts'

/**
 * The address of the revocation list of an authority, as its certificates name it. Each authority signs its own list, so the
 * address names the authority; plain HTTP, since a client that checks a certificate cannot verify TLS yet.
 */
export const revocationListUrl = (
  ctx: Pick<Runtime, 'config' | 'endpoints'>,
  { tenantId, id }: { tenantId: string; id: string },
): string => `${publicUrl(ctx)}/.well-known/pki/${encodeURIComponent(tenantId)}/crl?authority=${id}`
