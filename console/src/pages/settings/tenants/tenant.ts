import type { Schemas } from '@gangway/client'

export type Tenant = Schemas['Tenant']
export type Plan = Tenant['plan']

export const tenantRoute = '/v1/tenants/{tenantId}'
export const plans = ['standard', 'enterprise'] as const satisfies Plan[]
