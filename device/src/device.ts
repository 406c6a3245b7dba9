import type { DesiredHandler } from './desired.ts'
import type { DeviceEvents } from './device-events.ts'
import type { JsonObject } from './json.ts'
import type { MethodHandler } from './methods.ts'
import type { Signals, TelemetryOptions } from './telemetry.ts'

/** A device that stays connected, or keeps trying, until it is closed. Created by `connect`. */
export interface Device extends AsyncDisposable {
  readonly deviceId: string
  readonly isConnected: boolean
  /** Messages that the broker has not acknowledged yet. */
  readonly pendingMessages: number

  /**
   * Resolves when the broker has acknowledged the message, which may be much later, when the device is online again.
   * Rejects with DeviceError: `invalid_message` or `message_too_large` at once; `dropped` where the full buffer pushed
   * it out; `closed`. A caller that does not await learns of losses by the `dropped` event.
   */
  sendTelemetry(signals: Signals, options?: TelemetryOptions): Promise<void>

  /** Publishes the device's current state; buffered, in order with telemetry, and rejecting like it. */
  reportProperties(properties: JsonObject): Promise<void>

  /**
   * Calls `handler` with the full desired state, now if there is one and at each change; stale and repeated states are
   * left out. One handler at a time. Returns the function that removes it.
   */
  onDesired(handler: DesiredHandler): () => void

  /** Handles invocations of `name`; other methods are answered with 404. Returns the function that removes the handler. */
  onMethod(name: string, handler: MethodHandler): () => void

  /** Returns the function that removes the listener. */
  on<Name extends keyof DeviceEvents>(name: Name, listener: (event: DeviceEvents[Name]) => void): () => void

  /**
   * Takes no more messages, waits until the others are acknowledged, `timeoutMs` (default 5,000) at most, and
   * disconnects. What is left then is reported by `dropped`. Never rejects; a second call waits for the first.
   */
  close(options?: { timeoutMs?: number }): Promise<void>
}
