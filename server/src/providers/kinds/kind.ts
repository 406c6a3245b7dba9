/** What differs between the types of provider. A new type is one more object of this shape, listed in `kind-of.ts`. */
import type { Context } from '../../context.ts'
import type { KeyColumns } from '../credentials/device-keys.ts'
import type { MethodResponse } from '../pending-methods.ts'

export interface ProviderKind {
  /**
   * Ids are MQTT user names, and so unique in the installation. Live sessions are found by them alone: a kind whose
   * ids are not must keep its clients' changes out of `applyClientChange`.
   */
  onBroker: boolean
  /** Makes the client where its devices connect. @returns what its row keeps of that */
  createClient(ctx: Context, client: { tenantId: string; clientId: string }): Promise<Partial<KeyColumns>>
  /** @throws device_offline, device_timeout */
  invokeMethod(ctx: Context, clientId: string, invocation: Invocation): Promise<MethodResponse>
}

export interface Invocation {
  componentId: string | null
  method: string
  payload: unknown
  timeoutSeconds: number
}
