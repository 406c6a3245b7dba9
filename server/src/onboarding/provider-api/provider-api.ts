/** The operations of a provider that the onboarding service uses. [docs/providers#provider-api] */
import type { ApiError } from '../../http/errors.ts'

export interface Credentials {
  primaryKey: string
  secondaryKey: string
}

export interface ProviderApi {
  /** Whether it is reached over the network, and can be away. */
  isRemote: boolean
  /**
   * Checks whether the provider accepts the devices.
   * @returns in the order of the ids: undefined for an accepted device, else provider_rejected or provider_unavailable
   */
  validate(deviceIds: string[]): Promise<(ApiError | undefined)[]>
  /**
   * @returns `created: false` if the client exists already
   * @throws provider_rejected, provider_unavailable
   */
  createClient(deviceId: string, requestId: string): Promise<{ created: boolean }>
  /** @throws provider_rejected, provider_unavailable */
  credentials(deviceId: string): Promise<Credentials>
}
