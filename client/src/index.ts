/** Client of Gangway's HTTP API and real-time push. */
export { ApiError, ConnectionError, type ErrorCode, type Issue } from './api-error.ts'
export type {
  Answer,
  Body,
  Item,
  ListPath,
  Method,
  PathFor,
  Query,
  RawBody,
  RequestOptions,
  RequestSettings,
  Schemas,
} from './api-types.ts'
export { connect, type ConnectOptions, type Gangway } from './connect.ts'
export { type Page, readCursor } from './pages.ts'
export { buildPath } from './paths.ts'
export type { AlarmEvent, EventFor, SubscriptionRequest, TelemetryEvent, Topic } from './realtime/events.ts'
export type { Gap, RealtimeState } from './realtime/live.ts'
export type { LiveSubscription, Realtime, RealtimeOptions, SubscriptionHooks } from './realtime/realtime.ts'
export type { WebSocketConstructor } from './realtime/socket.ts'
