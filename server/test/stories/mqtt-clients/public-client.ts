/** Actions that the story needs of each public MQTT client. */
import type { TestDevice } from '../../harness/gateway.ts'

export interface PublicClient {
  name: string
  /** Why it cannot run here. */
  missing?: string
  /** Publishes one message, and disconnects once it is acknowledged as its QoS demands. */
  publish(target: Target, message: Message & { topic: string }): Promise<void>
  /** Connects and subscribes. */
  listen(target: Target, subscription: Subscription): Promise<Listener>
}

/** A gateway and the device that signs in to it. */
export interface Target {
  device: TestDevice
  port: number
  /** The file of the certificate authority, for TLS. */
  caFile?: string
}

export interface Message {
  payload: string
  qos: 0 | 1 | 2
}

export interface Subscription {
  topic: string
  qos: 0 | 1 | 2
  clientId: string
  /** Whether the session is kept when the client leaves. */
  isKept?: boolean
}

export interface Listener {
  next(): Promise<Message>
  /** Disconnects, and keeps the session where it is a kept one. */
  leave(): Promise<void>
}
