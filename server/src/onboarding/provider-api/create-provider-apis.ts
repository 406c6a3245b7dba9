/**
 * Selects how a routing target's provider is called: over HTTP at `provider_base_url`, or in the process if that is a
 * provider of this platform. Otherwise a boot storm would cause a second HTTP request for every device.
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

export type GetProviderApi = (target: Target) => ProviderApi

export function createProviderApis(ctx: Context, openSecret: OpenSecret): GetProviderApi {
  const local = createLocalProviderApi(ctx)
  return (target) => {
    const apiKey = openSecret(target.provider_api_key_sealed, secretPlace('provider_api_key', target.id))
    const providerId = localProviderId(ctx, target.provider_base_url)
    return providerId === undefined
      ? httpProviderApi(ctx.outbound, target.provider_base_url, apiKey)
      : local(providerId, apiKey)
  }
}
