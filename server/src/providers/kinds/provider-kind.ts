/** What differs between the types of provider. A new type is one more object of this shape, listed in `kind-of.ts`. */
import type { Context } from '../../context.ts'
import type { ClientRef } from '../clients/store.ts'
import type { KeyColumns } from '../credentials/device-keys.ts'
import type { MethodResponse } from '../pending-methods.ts'
import type { Properties } from '../twin/merge-patch.ts'

export interface ProviderKind {
  /**
   * Ids are MQTT user names, and so unique in the installation. Live sessions are found by them alone, so that clients
   * of other kinds must not be announced to them.
   */
  onBroker: boolean
  /** Makes the client where its devices connect. @returns what its row keeps of that */
  createClient(ctx: Context, client: NewClient): Promise<Partial<KeyColumns>>
  /** @throws device_offline, device_timeout; conflict where there is nobody to invoke it on */
  invokeMethod(ctx: Context, client: ClientRef, invocation: Invocation): Promise<MethodResponse>
  /** For clients that somebody else keeps; absent where their devices and twins are here. */
  remote?: RemoteClients
}

interface NewClient extends ClientRef {
  enabled: boolean
}

export interface Invocation {
  componentId: string | null
  method: string
  payload: unknown
  timeoutSeconds: number
  /** What the device answers to; a new one where absent. */
  correlationId?: string
}

/**
 * The other half of a client, in somebody else's hands. It changes before our record does: what fails in between is
 * mended by doing the same again, so that everything here may be repeated.
 * All of them throw provider_unavailable, provider_rejected with the provider's reason, and conflict when the provider
 * does not know the client.
 */
export interface RemoteClients {
  setEnabled(ctx: Context, client: ClientRef, enabled: boolean): Promise<void>
  deleteClient(ctx: Context, client: ClientRef): Promise<void>
  /** @param options the template's, and over them the given ones @returns the keys that the client now has */
  provision(ctx: Context, client: NewClient, options: Properties): Promise<Partial<KeyColumns>>
  /** The secondary key becomes primary, and a new secondary is made. */
  rotateKeys(ctx: Context, client: ClientRef): Promise<Partial<KeyColumns>>
  /** What the provider knows of the client, or of one of its modules: quickly, or not at all. */
  describe(ctx: Context, client: ClientRef, componentId: string): Promise<Properties>
  /** @param componentId `''` is the client itself */
  getTwin(ctx: Context, client: ClientRef, componentId: string): Promise<Twin>
  /** @returns the full desired state with `$version` */
  patchDesired(ctx: Context, client: ClientRef, componentId: string, patch: Properties): Promise<Properties>
}

/** Each side with its `$version`. */
export interface Twin {
  desired: Properties
  reported: Properties
}
