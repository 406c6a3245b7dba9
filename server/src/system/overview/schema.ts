import Type, { type Static, type TSchema } from 'typebox'
import { Nullable, Timestamp, Uuid } from '../../http/shapes.ts'

const count = (description: string) => Type.Integer({ description })
const since = { ...Timestamp, description: 'The counts are of what came since then' }

const part = <T extends TSchema>(description: string, schema: T) => ({ ...Nullable(schema), description })

const devices = {
  total: count('Provider clients that the caller may view'),
  online: count('Those that are connected over MQTT'),
  offline: count('Those that are not'),
  silent: count('Enabled ones that were not heard since `silentSince`'),
}

export const OverviewRecord = Type.Object(
  {
    asOf: { ...Timestamp, description: 'When devices, dead letters and onboarding were counted' },
    alarms: part(
      'Open alarm statuses; null if the caller may not see them',
      Type.Object({
        open: count('Open alarm statuses'),
        unacknowledged: count('Open alarm statuses without an acknowledgement'),
        bySeverity: Type.Array(
          Type.Object({ severity: count('1 (lowest) to 5 (highest)'), open: count('Open alarm statuses') }),
          { description: 'The highest first, without severities that have none' },
        ),
      }),
    ),
    devices: part(
      'Provider clients; null if the caller may not see them',
      Type.Object({
        ...devices,
        silentSince: { ...Timestamp, description: 'For the filter of the same name' },
        providers: Type.Array(Type.Object({ providerId: Type.String(), ...devices }), {
          description: 'The same for each provider',
        }),
      }),
    ),
    deadLetters: part(
      'Messages that could not be read; null if the caller may not see them',
      Type.Object({
        messages: count('Messages that could not be read'),
        devices: count('Clients that sent them'),
        since,
      }),
    ),
    onboarding: part(
      'Attempts of devices to come up; null if the caller may not see them',
      Type.Object({
        refused: count('Attempts of devices that were refused'),
        failed: count('Attempts that failed for another reason'),
        since,
      }),
    ),
    rollouts: part(
      'Deployments under way; null if the caller may not see them',
      Type.Object({
        running: count('Deployments that have begun and not ended; at most 100 are counted'),
        withFailures: count('Those of which updates failed or were rejected'),
        items: Type.Array(
          Type.Object({
            id: Uuid,
            displayName: Type.String(),
            status: Type.String({ description: 'State of the deployment' }),
            failed: count('Updates that failed or were rejected'),
          }),
          { description: 'The newest first' },
        ),
      }),
    ),
    ingest: part(
      'What devices send; null if the caller may not see it',
      Type.Object({
        messagesPerSecond: Type.Number({ description: 'Messages of the tenant in the last seconds' }),
      }),
    ),
    stream: part(
      'The stream in which messages of devices wait until they are stored; null without `GANGWAY_INGEST=stream`, or if the caller may not see it',
      Type.Object({
        state: Type.Enum(['ok', 'full', 'away'], {
          description:
            'Whether it accepts messages: it is full, or does not answer the server that answers, whose numbers are then older',
        }),
        bytes: count('Bytes in the stream'),
        maxBytes: count('Bytes that it may have'),
        replicas: count('Servers of NATS that keep it'),
        partitions: Type.Array(
          Type.Object({
            partition: count('The remainder of the number of a device'),
            nodeId: Nullable({
              ...Uuid,
              description: 'The node that stores its messages; null if none does',
            }),
            batches: count('Batches of messages that wait; those of the last second may be stored already'),
            oldestAt: Nullable({
              ...Timestamp,
              description: 'When the oldest of them came; null if none waits',
            }),
          }),
          { description: 'Each with the messages of some devices' },
        ),
      }),
    ),
    storage: part(
      'Space on disk; null if the caller may not see it',
      Type.Object({
        freeBytes: Type.Number({ description: 'Free space on the fullest disk of the server that answers' }),
        daysLeft: Nullable(
          Type.Number({ description: 'At the rate of the last day; null where its use does not grow' }),
        ),
      }),
    ),
  },
  { title: 'Overview' },
)
export type Overview = Static<typeof OverviewRecord>
