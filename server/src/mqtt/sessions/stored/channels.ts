/** Messages between nodes about stored sessions. */
import { channel, halve } from '../../../nodes/channel.ts'

/** The kept sessions of these clients, their subscriptions or their retained messages changed. */
export interface ClientsChanged {
  clientNumbers: number[]
  /** The node that publishes it has to handle it too. */
  includesOwn?: boolean
}

export interface SessionsChanged {
  /** These sessions were opened or removed, which ends the ownership of nodes with a lower generation. */
  opened: { number: number; generation: number }[]
  /** Messages were stored for these sessions. */
  withMessages: number[]
}

export const clientsChanged = channel<ClientsChanged>('gangway_mqtt_clients_changed', {
  split: halve('clientNumbers'),
})

export const sessionsChanged = channel<SessionsChanged>('gangway_mqtt_sessions_changed', {
  split: halve('opened', 'withMessages'),
})
