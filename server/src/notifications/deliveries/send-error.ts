import { ReceiverError } from '../../jobs/receiver.ts'

const MAX_MESSAGE_CHARACTERS = 300

interface Refusal {
  /** The receiver will never accept this message. */
  isRefused: boolean
  /** See ReceiverError. */
  isAnswered: boolean
}

/** Reason why a message was not accepted, as it is shown with its delivery. */
export class SendError extends ReceiverError {
  readonly isWorthAnotherTry: boolean

  /** @param message the receiver's answer; never an internal address or a credential */
  constructor(
    readonly reason:
      | 'mail_server_unavailable'
      | 'mail_server_refused'
      | 'sms_gateway_unavailable'
      | 'sms_gateway_refused',
    message: string,
    { isRefused, isAnswered }: Refusal,
  ) {
    super(message.replace(/\p{Cc}+/gu, ' ').slice(0, MAX_MESSAGE_CHARACTERS), isAnswered)
    this.isWorthAnotherTry = !isRefused
  }
}
