/** The metrics of /metrics. Each server has its own registry, so that two servers in one process do not mix. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    ...createRequestMetrics(registers),
    ...createMqttMetrics(registers),
    ...createIngestMetrics(registers),
    ...createDiskMetrics(registers),
    ...createDeliveryMetrics(registers),
    ...createOnboardingMetrics(registers),
  }
}

const createRequestMetrics = (registers: Registry[]) => ({
  httpSeconds: new Histogram({
    name: 'gangway_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  }),
})

const createMqttMetrics = (registers: Registry[]) => ({
  mqttConnections: new Gauge({
    name: 'gangway_mqtt_connections',
    help: 'Live MQTT connections',
    registers,
  }),
  mqttRefusals: new Counter({
    name: 'gangway_mqtt_refusals_total',
    help: 'Connections refused or ended by the server, and subscriptions refused, by reason',
    labelNames: ['reason'],
    registers,
  }),
  mqttLimits: new Counter({
    name: 'gangway_mqtt_limits_total',
    help: 'Messages and connections of devices that a limit delayed, dropped or refused',
    labelNames: ['limit', 'outcome'],
    registers,
  }),
})

const createIngestMetrics = (registers: Registry[]) => ({
  ingestMessages: new Counter({
    name: 'gangway_ingest_messages_total',
    help: 'Device messages committed, by kind',
    labelNames: ['kind'],
    registers,
  }),
  ingestSamples: new Counter({
    name: 'gangway_ingest_samples_total',
    help: 'Samples committed',
    registers,
  }),
  ingestBacklog: new Gauge({
    name: 'gangway_ingest_backlog_messages',
    help: 'Messages waiting for their commit',
    registers,
  }),
  ingestCommitSeconds: new Histogram({
    name: 'gangway_ingest_commit_seconds',
    help: 'Time of one group commit',
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  }),
  ingestPublishSeconds: new Histogram({
    name: 'gangway_ingest_publish_seconds',
    help: 'Time until the stream acknowledged a batch of messages, with GANGWAY_INGEST=stream',
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  }),
  ingestWithoutClient: new Counter({
    name: 'gangway_ingest_messages_without_client_total',
    help: 'Messages from the stream that were dropped because their client was deleted',
    registers,
  }),
  ingestUnreadableBatches: new Counter({
    name: 'gangway_ingest_unreadable_batches_total',
    help: 'What was found in the stream and is no batch; it is kept in the table unreadable_batches',
    registers,
  }),
  deadLetters: new Counter({
    name: 'gangway_dead_letters_total',
    help: 'Messages kept because they could not be read, by reason',
    labelNames: ['reason'],
    registers,
  }),
})

const createDiskMetrics = (registers: Registry[]) => ({
  diskFreeBytes: new Gauge({
    name: 'gangway_disk_free_bytes',
    help: 'Free space where the platform writes',
    labelNames: ['directory'],
    registers,
  }),
  diskHoursLeft: new Gauge({
    name: 'gangway_disk_hours_left',
    help: 'Hours until the disk is full at the rate of the last day; absent where its use does not grow',
    labelNames: ['directory'],
    registers,
  }),
})

const createDeliveryMetrics = (registers: Registry[]) => ({
  deliveries: new Counter({
    name: 'gangway_deliveries_total',
    help: 'Deliveries to receivers (webhooks, mail, SMS, external providers, the event queue), by kind and outcome',
    labelNames: ['kind', 'outcome'],
    registers,
  }),
  deliveriesWaiting: new Gauge({
    name: 'gangway_deliveries_waiting',
    help: 'Deliveries that have not ended yet, by kind of receiver',
    labelNames: ['kind'],
    registers,
  }),
  receiversPaused: new Gauge({
    name: 'gangway_receivers_paused',
    help: 'Receivers that do not answer and whose deliveries wait, by kind',
    labelNames: ['kind'],
    registers,
  }),
})

const createOnboardingMetrics = (registers: Registry[]) => ({
  attemptsDropped: new Counter({
    name: 'gangway_onboarding_attempts_dropped_total',
    help: 'Attempts of devices that are missing in the decision trace, by reason',
    labelNames: ['reason'],
    registers,
  }),
})
