import type { Schemas } from '@gangway/client'
import type { StateKind } from '../../../parts/StateMark.tsx'

export type Webhook = Schemas['ProviderWebhook']

export const webhooksRoute = '/v1/providers/{providerId}/webhooks'
export const webhookRoute = '/v1/providers/{providerId}/webhooks/{webhookId}'

export const eventNames = ['device.deleted', 'certificate.expiring', 'certificate.revoked'] as const

export const stateMarks: Record<Webhook['delivery']['state'], StateKind> = {
  ok: 'good',
  failing: 'warning',
  paused: 'bad',
}
