/**
 * Replaces the issuing authority of a tenant by a new or an imported one. The previous one is retired: it issues no more, and
 * its certificates stay valid until they expire or it is revoked. [docs/certificates#authorities]
 */
import type { Insertable, Kysely } from 'kysely'
import { audited } from '../../../audit/audited.ts'
import type { Actor } from '../../../audit/record.ts'
import type { Tables } from '../../../database/tables.ts'
import type { AuthorityRow, CertificateTables } from '../../../database/tables/certificates.ts'
import type { Runtime } from '../../../runtime.ts'
import { newId } from '../../../lib/ids.ts'
import { openAuthority, authorityKeyPlace } from './authority.ts'
import { ensureRoot } from './ensure-authorities.ts'
import { makeIssuing } from './make-authority.ts'
import type { ImportedAuthority } from './read-imported.ts'
import { refuseRevokedKeys } from './refuse-revoked-keys.ts'
import { authorityShape } from './schema.ts'
import { findActiveAuthority, insertAuthority, lockAuthorities } from './store.ts'

type NeededParts = Pick<Runtime, 'db' | 'sealer'>
type NewAuthority = Insertable<CertificateTables['certificate_authorities']>

/** Makes a new issuing authority below the tenant's own root. */
export const rotateIssuing = ({ db, sealer }: NeededParts, actor: Actor): Promise<AuthorityRow> =>
  replaceIssuing(db, { actor, action: 'rotate' }, async (tx) => {
    const maker = { tenantId: actor.tenantId, sealer }
    const root = await ensureRoot({ db: tx, sealer }, actor.tenantId)
    return makeIssuing(maker, openAuthority(root, sealer))
  })

export const importIssuing = (
  { db, sealer }: NeededParts,
  actor: Actor,
  imported: ImportedAuthority,
): Promise<AuthorityRow> =>
  replaceIssuing(db, { actor, action: 'import' }, async (tx) => {
    await refuseRevokedKeys(tx, actor.tenantId, imported)
    const { privateKey, ...fields } = imported
    const id = newId()
    const key = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')
    return {
      ...fields,
      id,
      tenant_id: actor.tenantId,
      kind: 'issuing' as const,
      origin: 'imported' as const,
      key_sealed: sealer.seal(key, authorityKeyPlace(id)),
    }
  })

const replaceIssuing = (
  db: Kysely<Tables>,
  { actor, action }: { actor: Actor; action: string },
  make: (tx: Kysely<Tables>) => Promise<NewAuthority>,
): Promise<AuthorityRow> =>
  audited(db, { actor, action, resourceType: 'certificate_authority' }, async (tx) => {
    await lockAuthorities(tx, actor.tenantId)
    const previous = await findActiveAuthority(tx, actor.tenantId, 'issuing')
    const fresh = await make(tx)
    if (previous) await retire(tx, previous)
    const row = await insertAuthority(tx, fresh)
    const before = previous && authorityShape(previous)
    return { resourceId: row.id, before: before ?? null, after: authorityShape(row), result: row }
  })

const retire = (tx: Kysely<Tables>, { tenant_id: tenantId, id }: AuthorityRow) =>
  tx
    .updateTable('certificate_authorities')
    .set({ status: 'retired', retired_at: new Date() })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
