/** Issues the certificates of many devices in one transaction. They are stored before they are answered. */
import { type Kysely, sql } from 'kysely'
import type { Context } from '../../../context.ts'
import { executePrepared } from '../../../database/execute-prepared.ts'
import type { Tables } from '../../../database/tables.ts'
import type { Authority } from '../authorities/authority.ts'
import { lockActiveIssuing } from '../authorities/store.ts'
import { revocationListUrl } from '../crl-address.ts'
import {
  decideOrder,
  OrderRefusal,
  requireEntitled,
  requireLasting,
  requireOneHolder,
} from './decide-order.ts'
import { findEntitled } from './find-entitled.ts'
import {
  type KnownCertificates,
  lockOrders,
  readKnownCertificates,
  type RecentCertificate,
} from './known-certificates.ts'
import {
  type CertificateOrder,
  type NewCertificate,
  signDeviceCertificate,
} from './sign-device-certificate.ts'

export type IssuerParts = Pick<Context, 'db' | 'authorities' | 'config' | 'endpoints'>

export interface Issued {
  id: string
  /** DER. */
  certificate: Buffer
  /** The same request was answered with it before. */
  isRepeat: boolean
}

/** @returns for each order its certificate, or why there is none */
export async function issueCertificates(
  ctx: IssuerParts,
  orders: CertificateOrder[],
): Promise<(Issued | OrderRefusal)[]> {
  const tenantIds = [...new Set(orders.map((order) => order.tenantId))]
  return ctx.db.transaction().execute(async (tx) => {
    const authorities = await lockAuthorities(ctx, tx, tenantIds)
    await lockOrders(tx, orders)
    const entitled = await findEntitled(tx, orders)
    const known = await readKnownCertificates(tx, orders)
    const holders = new Map<string, string>()
    const decisions = orders.map((order, index) =>
      decide(order, {
        known,
        holders,
        isEntitled: entitled.has(index),
        authority: authorities.get(order.tenantId),
      }),
    )
    const made = await signAll(
      ctx,
      authorities,
      orders.filter((_order, index) => decisions[index] === undefined),
    )
    await insertCertificates(tx, made)
    const fresh = made.values()
    return decisions.map((decision) => decision ?? describe(fresh.next().value!))
  })
}

async function lockAuthorities(
  ctx: IssuerParts,
  tx: Kysely<Tables>,
  tenantIds: string[],
): Promise<Map<string, Authority>> {
  let locked = await lockActiveIssuing(tx, tenantIds)
  if (locked.length < tenantIds.length) {
    const missing = tenantIds.filter((id) => !locked.some(({ tenant_id: tenantId }) => tenantId === id))
    for (const tenantId of missing) await ctx.authorities.getIssuing(tenantId)
    // Finds authorities that were made just now, and those that replaced others while the statement waited for the lock.
    locked = await lockActiveIssuing(tx, tenantIds)
  }
  const authorities = new Map<string, Authority>()
  for (const { id, tenant_id: tenantId } of locked)
    authorities.set(tenantId, await ctx.authorities.open(tx, tenantId, id))
  return authorities
}

interface Circumstances {
  known: KnownCertificates
  /** Devices of the batch by the key that they get a certificate for. */
  holders: Map<string, string>
  isEntitled: boolean
  authority: Authority | undefined
}

function decide(
  order: CertificateOrder,
  { known, holders, isEntitled, authority }: Circumstances,
): Issued | OrderRefusal | undefined {
  try {
    requireEntitled(isEntitled)
    const repeated: RecentCertificate | undefined = decideOrder(order, known)
    if (!repeated) requireLasting(authority)
    requireOneHolder(order, holders)
    return repeated && { id: repeated.id, certificate: repeated.certificate, isRepeat: true }
  } catch (error) {
    if (error instanceof OrderRefusal) return error
    throw error
  }
}

const describe = ({ id, certificate }: NewCertificate): Issued => ({ id, certificate, isRepeat: false })

const signAll = (ctx: IssuerParts, authorities: Map<string, Authority>, orders: CertificateOrder[]) =>
  Promise.all(
    orders.map((order) => {
      const authority = authorities.get(order.tenantId)
      if (!authority) throw new Error(`the tenant ${order.tenantId} has no issuing authority any more`)
      return signDeviceCertificate(authority, order, revocationListUrl(ctx, authority))
    }),
  )

async function insertCertificates(tx: Kysely<Tables>, made: NewCertificate[]): Promise<void> {
  if (made.length === 0) return
  const column = <K extends keyof NewCertificate>(name: K) => made.map((certificate) => certificate[name])
  const statement = sql`
    insert into device_certificates (id, tenant_id, enrollment_group_id, device_id, authority_id, serial_number,
      fingerprint, public_key_fingerprint, request_fingerprint, certificate, tier, not_before, not_after)
    select * from unnest(${column('id')}::uuid[], ${column('tenant_id')}::text[],
      ${column('enrollment_group_id')}::uuid[], ${column('device_id')}::text[], ${column('authority_id')}::uuid[],
      ${column('serial_number')}::text[], ${column('fingerprint')}::bytea[],
      ${column('public_key_fingerprint')}::bytea[], ${column('request_fingerprint')}::bytea[],
      ${column('certificate')}::bytea[], ${column('tier')}::int[], ${column('not_before')}::timestamptz[],
      ${column('not_after')}::timestamptz[])`
  await executePrepared(tx, 'insert-device-certificates', statement)
}
