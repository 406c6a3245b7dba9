/** Applies changes of clients and of their certificates, whichever node made them. */
import type { Context } from '../context.ts'
import { retry } from '../lib/retry.ts'
import { applyClientChange, type ClientChange, clientChanges } from '../providers/clients/client-changes.ts'
import { certificateChanges } from '../onboarding/certificates/revocation/certificate-changes.ts'
import type { Gateway } from './gateway.ts'

const REVIEW_PATIENCE_MS = 30_000

/** Must be called before this node joins. All sessions are reviewed whenever messages may have been lost. */
export const subscribeToClientChanges = (ctx: Context, gateway: Gateway): void =>
  clientChanges.subscribe(ctx, {
    onMessage: (change, { isOwn }) =>
      change.change === 'desired_changed' && isOwn ? undefined : applyChange(ctx, gateway, change),
    onReconnect: gateway.reviewAll,
  })

/** The gateway reviews the client even if this node made the change. */
async function applyChange(ctx: Context, gateway: Gateway, change: ClientChange): Promise<void> {
  if (change.change === 'desired_changed') await applyClientChange(ctx, change)
  else if (change.change === 'provider_parser_changed') await gateway.reviewAll()
  else
    await gateway.reviewClient(
      change.clientId,
      change.change === 'parser_changed' ? undefined : change.message,
    )
}

/** Must be called before this node joins. After a break `subscribeToClientChanges` reviews all sessions. */
export const subscribeToCertificateChanges = (ctx: Context, gateway: Gateway): void =>
  certificateChanges.subscribe(ctx, {
    // The notice comes once: a session of a revoked certificate must not survive a database that is away for a moment.
    onMessage: (change) => retry(REVIEW_PATIENCE_MS, () => gateway.reviewCertificates(change)),
  })
