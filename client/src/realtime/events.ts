/** Messages that the server sends over the real-time connection. [docs/push#messages] */
import type { Body, Schemas } from '../api-types.ts'

type NewSubscription = Body<'post', '/v1/realtime/subscriptions'>

export type Topic = NewSubscription['topic']

/** The assets to watch, and what of them. [docs/push#subscriptions] */
export type SubscriptionRequest<T extends Topic = Topic> = Omit<
  NewSubscription,
  'connectionId' | 'topic' | 'batched'
> & {
  topic: T
}

export interface TelemetryEvent {
  topic: 'telemetry'
  subscriptionId: string
  /** An asset, or a provider client whose telemetry no asset binds. */
  assetId: string
  componentId: string | null
  timeseriesName: string
  timeseriesType: string
  value: unknown
  /** When the value was measured, in ISO 8601. */
  time: string
  /** When the server received the value, in ISO 8601; with live values whose `time` differs by more than a second. */
  receivedAt?: string
  /** The trace that the device named, with live values only. */
  traceparent?: string
}

export interface AlarmEvent {
  topic: 'alarm'
  subscriptionId: string
  status: Schemas['AlarmStatus']
}

export type EventFor<T extends Topic> = T extends 'telemetry' ? TelemetryEvent : AlarmEvent

/** The server ended a subscription: its user lost access, or the client did not renew it in time. */
export interface SubscriptionEvent {
  topic: 'subscription'
  subscriptionId: string
  event: 'ended' | 'expired'
  reason?: string
}

type Item<Event extends { topic: Topic; subscriptionId: string }> = Omit<Event, 'topic' | 'subscriptionId'>

/** Events of one subscription that the server sent at the same time. [docs/push#batches] */
export type Batch =
  | { topic: 'telemetry'; subscriptionId: string; items: Item<TelemetryEvent>[] }
  | { topic: 'alarm'; subscriptionId: string; items: Item<AlarmEvent>[] }

export type PushedData = Batch | SubscriptionEvent
