import type { Receiver } from '../../jobs/receiver.ts'

interface Provider {
  tenant_id: string
  provider_id: string
}

/**
 * The receiver for jobs of a remote provider. Each kind of work has its own slots and circuit breaker, because the
 * success or failure of one kind says little about the others.
 */
export const providerReceiver = (
  { tenant_id: tenantId, provider_id: providerId }: Provider,
  work: 'desired' | 'commands' | 'firmware',
): Receiver => ({ kind: 'provider', id: `${tenantId}/${providerId}/${work}`, tenantId })
