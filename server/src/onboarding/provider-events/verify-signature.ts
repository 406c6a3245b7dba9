/**
 * Finds the routing targets of a provider event: those whose webhook secret signed its bytes. The body is not parsed
 * before that. [docs/onboarding#provider-events]
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { ApiError, unauthorized } from '../../http/errors.ts'
import { isUuid } from '../../http/page.ts'
import { createFailureLimit } from '../failure-limit.ts'
import { clientNetwork } from '../../lib/client-network.ts'
import type { OpenSecret } from '../open-secrets.ts'
import { secretPlace } from '../routing-targets/store.ts'

/** Without X-Routing-Target-Id all targets are tried. Anybody can cause that work, so it is limited. */
const MAX_TARGETS_TRIED = 200
const FAILURES_PER_NETWORK = 30

export interface SigningTarget {
  id: string
  tenantId: string
}

export type VerifySignature = (request: FastifyRequest) => Promise<SigningTarget[]>

/** The result throws unauthorized, with the same message for an unknown target and a wrong signature, and rate_limited. */
export function createSignatureVerification(db: Kysely<Tables>, openSecret: OpenSecret): VerifySignature {
  const failures = createFailureLimit(FAILURES_PER_NETWORK)
  return async (request) => {
    const signature = readSignature(request)
    const network = clientNetwork(request.ip)
    const named = request.headers['x-routing-target-id']
    if (named === undefined) requireNoPause(failures.pauseSeconds(network))
    const targets = named === undefined ? await listTargets(db) : await findTarget(db, String(named))
    const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
    const signing = targets.filter((target) => {
      const secret = openSecret(target.webhook_secret_sealed, secretPlace('webhook_secret', target.id))
      return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), signature)
    })
    if (signing.length > 0) return signing.map((target) => ({ id: target.id, tenantId: target.tenant_id }))
    if (named === undefined) failures.recordFailure(network)
    throw unauthorized(
      'X-Webhook-Signature is not the hex HMAC-SHA256 of the body with the webhook secret of a routing target.',
    )
  }
}

function readSignature(request: FastifyRequest): Buffer {
  const signature = request.headers['x-webhook-signature']
  if (typeof signature !== 'string' || !/^[0-9a-f]{64}$/i.test(signature))
    throw unauthorized('Send the hex HMAC-SHA256 of the body as X-Webhook-Signature.')
  return Buffer.from(signature, 'hex')
}

function requireNoPause(pauseSeconds: number) {
  if (pauseSeconds > 0)
    throw new ApiError(
      'rate_limited',
      'Too many wrong signatures. Send the id of the routing target in X-Routing-Target-Id.',
      {},
      pauseSeconds,
    )
}

const selectTargets = (db: Kysely<Tables>) =>
  db.selectFrom('routing_targets').select(['id', 'tenant_id', 'webhook_secret_sealed'])

/** This query names no tenant: only the signature identifies the tenant of the event. */
const listTargets = (db: Kysely<Tables>) => selectTargets(db).orderBy('id').limit(MAX_TARGETS_TRIED).execute()

const findTarget = async (db: Kysely<Tables>, id: string) =>
  isUuid(id.toLowerCase()) ? selectTargets(db).where('id', '=', id).execute() : []
