/**
 * Receivers are what jobs send to: they may be slow, hang or be away. Their jobs run beside all others, in slots that are
 * bounded for each kind, each tenant of a kind and each receiver, so that none of them holds up another.
 */

interface Bounds {
  /** Jobs that one server runs at the same time. */
  slots: number
  perTenant: number
  perReceiver: number
}

/** A job that sends waits for the network most of the time, so that slots cost little. */
const kinds = {
  webhook: { slots: 32, perTenant: 12, perReceiver: 4 },
  email: { slots: 6, perTenant: 4, perReceiver: 6 },
  sms: { slots: 6, perTenant: 4, perReceiver: 6 },
  provider: { slots: 24, perTenant: 8, perReceiver: 4 },
  /** Rollouts ask providers elsewhere for the twins of their clients. */
  deployment: { slots: 8, perTenant: 3, perReceiver: 1 },
  events: { slots: 1, perTenant: 1, perReceiver: 1 },
} satisfies Record<string, Bounds>

export type ReceiverKind = keyof typeof kinds
export const receiverKinds = Object.keys(kinds) as ReceiverKind[]

export interface Receiver {
  kind: ReceiverKind
  /** Unique within its kind. */
  id: string
  /** Whose deliveries these are; absent where they are the installation's. */
  tenantId?: string
}

/** The name under which jobs, circuits and metrics know it. */
export const receiverName = ({ kind, id }: Receiver) => `receiver/${kind}/${id}`

/** What a job carries of its receiver. */
export const receiverFlags = (receiver: Receiver): string[] => [
  `kind/${receiver.kind}`,
  `tenant/${receiver.kind}/${receiver.tenantId ?? ''}`,
  receiverName(receiver),
]

/** How many jobs with a flag run at the same time, at most; no bound for a flag that is not about receivers. */
export function boundOfFlag(flag: string): number {
  const [scope, kind] = flag.split('/') as [string, ReceiverKind]
  const bounds = kinds[kind]
  if (!bounds) return Infinity
  if (scope === 'kind') return bounds.slots
  return scope === 'tenant' ? bounds.perTenant : bounds.perReceiver
}

/** All kinds at their bounds: none of them waits for another's slots. */
export const RECEIVER_SLOTS = Object.values(kinds).reduce((sum, { slots }) => sum + slots, 0)

/** `answered`: it took or refused the delivery, so that it is there. `not_asked`: nothing is known of it. */
export type SendOutcome = 'answered' | 'not_asked'

/** Runs in the slots of its job's receiver. @throws ReceiverError when the delivery is worth another try */
export interface SendingTask {
  (payload: unknown): Promise<SendOutcome>
  isSending: true
}

export const sendingTask = (task: (payload: unknown) => Promise<SendOutcome>): SendingTask =>
  Object.assign(task, { isSending: true as const })

/** A delivery was not taken. The message is shown to operators: it holds no credential and no inner address. */
export class ReceiverError extends Error {
  /** @param isAnswered whether it answered at all; where it did not, or said "not now", other deliveries wait, too */
  constructor(
    message: string,
    readonly isAnswered: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
