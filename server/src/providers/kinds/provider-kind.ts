/** The operations that differ between provider types. A new type is an object of this shape, listed in `get-provider-kind.ts`. */
import type { Context } from '../../context.ts'
import type { ClientRef } from '../clients/store.ts'
import type { KeyColumns } from '../credentials/device-keys.ts'
import type { MethodResponse } from '../pending-methods.ts'
import type { Properties } from '../twin/merge-patch.ts'

export interface ProviderKind {
  /**
   * Whether the clients connect to the built-in broker. Their ids are then MQTT user names and unique in the
   * installation. Live sessions are found by id, so changes of other clients must not be announced to them.
   */
  onBroker: boolean
  /** Creates the client where its devices connect. @returns the key columns of its row */
  createClient(ctx: Context, client: NewClient): Promise<Partial<KeyColumns>>
  /** @throws device_offline, device_timeout; conflict for a client without a device */
  invokeMethod(ctx: Context, client: ClientRef, invocation: Invocation): Promise<MethodResponse>
  /** For clients that a remote provider stores; absent if devices and twins are local. */
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
  /** Identifies the device's response; generated if absent. */
  correlationId?: string
}

/**
 * The part of a client that a remote provider stores. It is changed before the local record: after a failure between the
 * two the caller repeats the request, so every operation must be repeatable.
 * Each operation throws provider_unavailable, provider_rejected with the provider's reason, and conflict when the
 * provider does not know the client.
 */
export interface RemoteClients {
  setEnabled(ctx: Context, client: ClientRef, enabled: boolean): Promise<void>
  deleteClient(ctx: Context, client: ClientRef): Promise<void>
  /** @param options the template's options, overridden by the given ones @returns the keys of the client */
  provision(ctx: Context, client: NewClient, options: Properties): Promise<Partial<KeyColumns>>
  /** The secondary key becomes primary, and a new secondary key is generated. */
  rotateKeys(ctx: Context, client: ClientRef): Promise<Partial<KeyColumns>>
  /** Returns the provider's description of the client or one of its modules. It has a short timeout. */
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
