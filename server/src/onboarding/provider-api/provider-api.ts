/** The provider that keeps the devices of a routing target, as the onboarding service sees it. [docs/providers#provider-api] */
import type { ApiError } from '../../http/errors.ts'

export interface Credentials {
  primaryKey: string
  secondaryKey: string
}

export interface ProviderApi {
  /**
   * Whether the provider takes these devices.
   * @returns in the ids' order: nothing where it does, else provider_rejected or provider_unavailable
   */
  validate(deviceIds: string[]): Promise<(ApiError | undefined)[]>
  /**
   * @returns `created: false` where the client exists already
   * @throws provider_rejected, provider_unavailable
   */
  createClient(deviceId: string, requestId: string): Promise<{ created: boolean }>
  /** @throws provider_rejected, provider_unavailable */
  credentials(deviceId: string): Promise<Credentials>
}
