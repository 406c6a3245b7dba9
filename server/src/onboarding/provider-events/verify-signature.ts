/**
 * Which routing targets a provider event speaks for: those whose webhook secret signed its bytes. Nothing of the body
 * is parsed before. [docs/onboarding#provider-events]
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError, unauthorized } from '../../http/errors.ts'
import { isUuid } from '../../http/page.ts'
import { createFailureLimit } from '../failure-limit.ts'
import { networkOf } from '../../lib/client-network.ts'
import type { OpenSecret } from '../open-secrets.ts'
import { secretPlace } from '../routing-targets/store.ts'

/** Without X-Routing-Target-Id every target is tried, which a stranger can make us do: so many, and not too often. */
const MAX_TARGETS_TRIED = 200
const FAILURES_PER_NETWORK = 30

export interface SigningTarget {
  id: string
  tenantId: string
}

export type VerifySignature = (request: FastifyRequest) => Promise<SigningTarget[]>

/** The result throws unauthorized, the same for an unknown target and a wrong signature; rate_limited. */
export function createSignatureVerification(db: Kysely<Tables>, openSecret: OpenSecret): VerifySignature {
  const failures = createFailureLimit(FAILURES_PER_NETWORK)
  return async (request) => {
    const signature = signatureOf(request)
    const network = networkOf(request.ip)
    const named = request.headers['x-routing-target-id']
    if (named === undefined) refuseDuring(failures.pauseSeconds(network))
    const targets = named === undefined ? await listTargets(db) : await findTarget(db, String(named))
    const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
    const signing = targets.filter((target) => {
      const secret = openSecret(target.webhook_secret_sealed, secretPlace('webhook_secret', target.id))
      return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), signature)
    })
    if (signing.length > 0) return signing.map((target) => ({ id: target.id, tenantId: target.tenant_id }))
    if (named === undefined) failures.note(network)
    throw unauthorized(
      'X-Webhook-Signature is not the hex HMAC-SHA256 of the body with the webhook secret of a routing target.',
    )
  }
}

function signatureOf(request: FastifyRequest): Buffer {
  const signature = request.headers['x-webhook-signature']
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/i.test(signature))
    throw unauthorized('Send the hex HMAC-SHA256 of the body as X-Webhook-Signature.')
  return Buffer.from(signature, 'hex')
}

function refuseDuring(pauseSeconds: number) {
  if (pauseSeconds > 0)
    throw new ApiError(
      'rate_limited',
      'Too many wrong signatures. Name the target in X-Routing-Target-Id.',
      {},
      pauseSeconds,
    )
}

const selectTargets = (db: Kysely<Tables>) =>
  db.selectFrom('routing_targets').select(['id', 'tenant_id', 'webhook_secret_sealed'])

/** The one query without a tenant: it is the signature that tells whose event this is. */
const listTargets = (db: Kysely<Tables>) => selectTargets(db).orderBy('id').limit(MAX_TARGETS_TRIED).execute()

const findTarget = async (db: Kysely<Tables>, id: string) =>
  isUuid(id.toLowerCase()) ? selectTargets(db).where('id', '=', id).execute() : []
