/**
 * Receivers are the destinations of sending jobs; they may be slow, hang or be unreachable. Their jobs run in slots that
 * are limited for each kind, each tenant of a kind and each receiver, so that they do not delay each other.
 */

interface Bounds {
  /** Concurrent jobs on one node. */
  slots: number
  perTenant: number
  perReceiver: number
}

/** Sending jobs mostly wait for the network, so slots cost little. */
const kinds = {
  webhook: { slots: 32, perTenant: 12, perReceiver: 4 },
  email: { slots: 6, perTenant: 4, perReceiver: 6 },
  sms: { slots: 6, perTenant: 4, perReceiver: 6 },
  provider: { slots: 24, perTenant: 8, perReceiver: 4 },
  /** Firmware deployments, which read client twins from external providers. */
  deployment: { slots: 8, perTenant: 3, perReceiver: 1 },
  events: { slots: 1, perTenant: 1, perReceiver: 1 },
} satisfies Record<string, Bounds>

export type ReceiverKind = keyof typeof kinds
export const receiverKinds = Object.keys(kinds) as ReceiverKind[]

export interface Receiver {
  kind: ReceiverKind
  /** Unique within its kind. */
  id: string
  /** The tenant of the deliveries; absent for those of the installation. */
  tenantId?: string
}

/** The name of the receiver in jobs, circuits and metrics. */
export const receiverName = ({ kind, id }: Receiver) => `receiver/${kind}/${id}`

/** Flags of a job for this receiver. */
export const receiverFlags = (receiver: Receiver): string[] => [
  `kind/${receiver.kind}`,
  `tenant/${receiver.kind}/${receiver.tenantId ?? ''}`,
  receiverName(receiver),
]

/** The limit of concurrent jobs with a flag; infinite for flags that do not concern receivers. */
export function findBound(flag: string): number {
  const [scope, kind] = flag.split('/') as [string, ReceiverKind]
  const bounds = kinds[kind]
  if (!bounds) return Infinity
  if (scope === 'kind') return bounds.slots
  return scope === 'tenant' ? bounds.perTenant : bounds.perReceiver
}

/** The sum over all kinds, so that no kind waits for the slots of another. */
export const RECEIVER_SLOTS = Object.values(kinds).reduce((sum, { slots }) => sum + slots, 0)

/** `answered`: the receiver accepted or refused the delivery. `not_asked`: nothing was sent. */
export type SendOutcome = 'answered' | 'not_asked'

/** Runs in the slots of its job's receiver. @throws ReceiverError if the delivery should be retried */
export interface SendingTask {
  (payload: unknown): Promise<SendOutcome>
  isSending: true
}

export const sendingTask = (task: (payload: unknown) => Promise<SendOutcome>): SendingTask =>
  Object.assign(task, { isSending: true as const })

/** A delivery was not accepted. The message is shown to operators: it contains no credentials and no internal addresses. */
export class ReceiverError extends Error {
  /** @param isAnswered false if the receiver did not answer, or answered that it is unavailable: its other deliveries then wait too */
  constructor(
    message: string,
    readonly isAnswered: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
