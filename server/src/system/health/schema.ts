import Type, { type Static } from 'typebox'
import { Nullable, Timestamp, Uuid } from '../../http/shapes.ts'
import { type JobRow, jobStates } from '../../jobs/job-records.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const time = (description: string) => ({ ...Nullable(Timestamp), description })

export const HealthRecord = Type.Object(
  {
    asOf: { ...Timestamp, description: 'When it was counted' },
    version: Type.String({ description: 'Of the server that answers' }),
    nodes: Type.Array(
      Type.Object({
        id: Uuid,
        isAnswering: Type.Boolean({ description: 'Whether this answer comes from it' }),
        connectedClients: count('Provider clients that are connected to it over MQTT'),
        messagesPerSecond: Type.Number({
          description: 'Messages of devices that it committed in the last seconds',
        }),
      }),
      { description: 'Servers of the installation that are up' },
    ),
    ingest: Type.Object(
      {
        backlog: count('Messages that wait for their commit'),
        longestWaitSeconds: Type.Number({ description: 'How long the oldest of them has waited' }),
      },
      { description: 'Of the server that answers' },
    ),
    jobs: Type.Array(
      Type.Object({
        task: Type.String({ description: 'What the jobs do' }),
        waiting: count('Jobs that run at their time, or are tried again'),
        running: count('Jobs that a server works on'),
        failed: count('Jobs of which every try has failed'),
        oldestDueAt: time(
          'When the oldest job that could run now became due; null if none waits for a server',
        ),
        oldestFailedAt: time('When the oldest failed job was tried last'),
      }),
      { description: 'Jobs of all tenants by task; tasks without jobs are left out' },
    ),
    deliveries: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'Kind of receiver' }),
        waiting: count('Deliveries that have not ended'),
        pausedReceivers: count('Receivers that do not answer, whose deliveries wait'),
      }),
      { description: 'Deliveries of all tenants by kind of receiver' },
    ),
    receivers: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'Kind of receiver' }),
        id: Type.String({ description: 'Identifies it within its kind' }),
        failures: count('Consecutive ones'),
        reason: Type.String({ description: 'Why the last delivery failed' }),
        failingSince: { ...Timestamp, description: 'When the first of them failed' },
        retryAt: time('When a delivery is tried again; null while its deliveries do not wait'),
      }),
      {
        description: 'Receivers that do not answer, of all tenants: the first 100, the longest failing first',
      },
    ),
    deadLetters: Type.Object(
      {
        messages: count('Messages that could not be read'),
        tenants: Type.Array(Type.Object({ tenantId: Type.String(), messages: count('Of this tenant') }), {
          description: 'The tenants that have some, those with the most first',
        }),
        since: { ...Timestamp, description: 'The messages came since then' },
      },
      { description: 'Unreadable messages of all tenants' },
    ),
    queue: Type.Object(
      {
        kind: Type.Enum(['nats', 'log'], { description: 'Where events go' }),
        waiting: count('Events that the queue has not stored yet'),
        oldestAt: time('When the oldest of them came'),
      },
      { description: 'The queue of outgoing events' },
    ),
    database: Type.Object(
      {
        version: Type.String({ description: 'Version of PostgreSQL' }),
        bytes: count('Its size'),
        connections: count('Open connections to it, of all servers and programs'),
        maxConnections: count('The most that PostgreSQL accepts'),
        longestTransactionSeconds: Type.Number({
          description: 'Age of the oldest open transaction; 0 without one',
        }),
        replica: {
          ...Nullable(
            Type.Object({
              problem: Nullable(
                Type.String({ description: 'Why the database answers in its place; null while it answers' }),
              ),
              lagBytes: Nullable(
                Type.Number({ description: 'What it has not replayed; null without an answer' }),
              ),
              lagSeconds: Nullable(
                Type.Number({ description: 'Age of what it has replayed last, where it has more to replay' }),
              ),
            }),
          ),
          description: 'The read replica of the server that answers; null without GANGWAY_DATABASE_READ_URL',
        },
      },
      { description: 'The database of the installation' },
    ),
    packing: Type.Object(
      {
        daysBehind: count('Its age in days; 0 without such a day'),
        oldestDay: Nullable(
          Type.String({ description: 'The oldest closed day of telemetry that is not packed, UTC' }),
        ),
      },
      { description: 'How far packing is behind what is stored' },
    ),
    storage: {
      ...Nullable(
        Type.Object({
          freeBytes: Type.Number({
            description: 'Free space on the fullest disk of the server that answers',
          }),
          daysLeft: Nullable(
            Type.Number({ description: 'At the rate of the last day; null where its use does not grow' }),
          ),
        }),
      ),
      description: 'Space on disk; null until it is measured for the first time',
    },
  },
  { title: 'Health' },
)
export type Health = Static<typeof HealthRecord>

export const JobRecord = Type.Object(
  {
    id: Type.String(),
    task: Type.String({ description: 'What the job does' }),
    state: Type.Enum([...jobStates], { description: '`failed`: every try has failed' }),
    attempts: count('Tries that were begun'),
    maxAttempts: count('Tries until it is given up'),
    lastError: Nullable(Type.String({ description: 'Why the last try failed, at most 1,000 characters' })),
    createdAt: Timestamp,
    runAt: { ...Timestamp, description: 'When it runs, or is tried again' },
  },
  { title: 'Job' },
)

const MAX_ERROR = 1000

export const jobShape = (row: JobRow): Static<typeof JobRecord> => ({
  id: row.id,
  task: row.task,
  state: row.state,
  attempts: row.attempts,
  maxAttempts: row.max_attempts,
  lastError: row.last_error?.slice(0, MAX_ERROR) ?? null,
  createdAt: row.created_at.toISOString(),
  runAt: row.run_at.toISOString(),
})
