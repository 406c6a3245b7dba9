import type { Receiver } from '../../jobs/receiver.ts'

interface Provider {
  tenant_id: string
  provider_id: string
}

/**
 * A provider whose clients somebody else keeps. Each kind of work for it has slots and a circuit of its own: what one
 * kind learns of it, such as that it lets a device be asked, says little about the others.
 */
export const providerReceiver = (
  { tenant_id: tenantId, provider_id: providerId }: Provider,
  work: 'desired' | 'commands' | 'firmware',
): Receiver => ({ kind: 'provider', id: `${tenantId}/${providerId}/${work}`, tenantId })
