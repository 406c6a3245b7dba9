/** The authorities that this node has opened. Opening one decrypts and parses its key. */
import type { Kysely } from 'kysely'
import type { Tables } from '../../../database/tables.ts'
import type { AuthorityRow } from '../../../database/tables/certificates.ts'
import { createBoundedCache } from '../../../lib/bounded-cache.ts'
import type { Runtime } from '../../../runtime.ts'
import { type Authority, openAuthority } from './authority.ts'
import { ensureAuthorities } from './ensure-authorities.ts'
import { getAuthority } from './store.ts'

const MAX_OPEN = 1000

export interface Authorities {
  /** Opens an authority; certificate and key of an id never change. @throws Error for one without a key */
  load(row: AuthorityRow): Authority
  /** Opens an authority by its id. @throws not_found, Error for one without a key */
  open(db: Kysely<Tables>, tenantId: string, id: string): Promise<Authority>
  /** The active issuing authority of a tenant, made if the tenant has none. */
  getIssuing(tenantId: string): Promise<Authority>
}

export function createAuthorities({ db, sealer }: Pick<Runtime, 'db' | 'sealer'>): Authorities {
  const opened = createBoundedCache<string, Authority>(MAX_OPEN)
  const load = (row: AuthorityRow) => {
    const known = opened.get(row.id)
    if (known) return known
    const authority = openAuthority(row, sealer)
    opened.set(row.id, authority)
    return authority
  }
  return {
    load,
    open: async (reader, tenantId, id) => opened.get(id) ?? load(await getAuthority(reader, tenantId, id)),
    getIssuing: async (tenantId) => load(await ensureAuthorities({ db, sealer }, tenantId)),
  }
}
