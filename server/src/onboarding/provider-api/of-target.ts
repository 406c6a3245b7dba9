/**
 * A routing target's provider is whatever answers at `provider_base_url`. Where that is this very platform, the calls
 * stay in the process: a boot storm would otherwise send every device through HTTP a second time.
 */
import type { Context } from '../../context.ts'
import type { OpenSecret } from '../open-secrets.ts'
import type { RoutingTargetRow } from '../../database/tables/onboarding.ts'
import { secretPlace } from '../routing-targets/store.ts'
import { httpProviderApi } from './http.ts'
import { createLocalProviderApi } from './local.ts'
import { localProviderId } from './local-provider-id.ts'
import type { ProviderApi } from './provider-api.ts'

type Target = Pick<RoutingTargetRow, 'id' | 'provider_base_url' | 'provider_api_key_sealed'>

export type ProviderApiOf = (target: Target) => ProviderApi

export function createProviderApis(ctx: Context, openSecret: OpenSecret): ProviderApiOf {
  const local = createLocalProviderApi(ctx)
  return (target) => {
    const apiKey = openSecret(target.provider_api_key_sealed, secretPlace('provider_api_key', target.id))
    const providerId = localProviderId(ctx, target.provider_base_url)
    return providerId === undefined
      ? httpProviderApi(ctx.outbound, target.provider_base_url, apiKey)
      : local(providerId, apiKey)
  }
}
