/** Issues certificates for requests that arrive at the same time in batches, and one at a time for each device. */
import { coalesce } from '../../../lib/coalesce.ts'
import { OrderRefusal } from './decide-order.ts'
import { type Issued, issueCertificates, type IssuerParts } from './issue-certificates.ts'
import type { CertificateOrder } from './sign-device-certificate.ts'

const MAX_BATCH = 200
/** One batch waits for the disk while another is signed. */
const CONCURRENCY = 2
/** A transaction costs as much as ten certificates, and a TLS handshake takes longer than this. */
const SPACING_MS = 20
const RETRY_AFTER_SECONDS = 1

/** @throws OrderRefusal */
export type IssueCertificate = (order: CertificateOrder) => Promise<Issued>

interface InProgress {
  request: string
  issued: Promise<Issued>
}

export function createIssuer(ctx: IssuerParts): IssueCertificate {
  const issueInBatch = coalesce((orders: CertificateOrder[]) => issueSeparatelyAfterError(ctx, orders), {
    maxBatch: MAX_BATCH,
    concurrency: CONCURRENCY,
    gathers: true,
    spacingMs: SPACING_MS,
  })
  const inProgress = new Map<string, InProgress>()

  const issue = async (order: CertificateOrder) => {
    const result = await issueInBatch(order)
    if (result instanceof Error) throw result
    return result
  }
  return (order) => {
    const device = `${order.tenantId} ${order.deviceId}`
    const fingerprint = order.requestFingerprint?.toString('latin1')
    const request = fingerprint ? `${order.groupId} ${order.tier} ${fingerprint}` : ''
    const running = inProgress.get(device)
    if (running && request !== '' && running.request === request)
      return running.issued.then((issued) => ({ ...issued, isRepeat: true }))
    if (running) return Promise.reject(busy())
    const issued = issue(order).finally(() => inProgress.delete(device))
    inProgress.set(device, { request, issued })
    return issued
  }
}

/** A batch has orders of several tenants: what is wrong with one of them must not fail the others. */
async function issueSeparatelyAfterError(
  ctx: IssuerParts,
  orders: CertificateOrder[],
): Promise<(Issued | Error)[]> {
  try {
    return await issueCertificates(ctx, orders)
  } catch (error) {
    if (orders.length === 1) return [error as Error]
    const results: (Issued | Error)[] = []
    for (const order of orders) results.push(...(await issueSeparatelyAfterError(ctx, [order])))
    return results
  }
}

const busy = () =>
  new OrderRefusal(
    'enrollment_in_progress',
    'rate_limited',
    'Another enrolment of the device is in progress. Repeat the request after a second.',
    RETRY_AFTER_SECONDS,
  )
