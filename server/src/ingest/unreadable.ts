/** Reasons why a message cannot be stored: the closed set that dead letters show. */
export const deadLetterReasons = [
  'not_json',
  'not_an_object',
  'bad_timestamp',
  'bad_name',
  'bad_value',
  'bad_format',
  'bad_checksum',
  'repeated_signal',
  'too_many_signals',
  'too_many_series',
  'too_much_work',
  'parser_unusable',
  'twin_too_large',
  'bad_method_response',
  'no_method_waiting',
  'unknown_topic',
  'not_retained',
  'refused_by_storage',
] as const

export type DeadLetterReason = (typeof deadLetterReasons)[number]

/** A message that its sender must correct. The text explains how. */
export class UnreadableError extends Error {
  constructor(
    readonly reason: DeadLetterReason,
    message: string,
  ) {
    super(message)
  }
}
