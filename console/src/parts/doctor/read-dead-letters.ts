import type { Schemas } from '@gangway/client'
import type { Cure, Finding, JsonFault } from './finding.ts'

export type DeadLetter = Schemas['DeadLetter']

const SHOWN_CHARACTERS = 200

const cures: Record<string, Cure[]> = {
  unknown_topic: ['copy-topic'],
  not_json: ['copy-payload'],
  not_an_object: ['copy-payload'],
  bad_timestamp: ['copy-payload'],
  bad_name: ['copy-payload'],
  bad_value: ['copy-payload'],
  repeated_signal: ['copy-payload'],
  too_many_signals: ['copy-payload'],
  too_many_series: ['copy-payload'],
  too_much_work: ['copy-payload'],
}

/** Converts messages that could not be stored to findings. */
export const readDeadLetters = (letters: DeadLetter[]): Finding[] =>
  letters.map(({ id, receivedAt, reason, message, payload, payloadEncoding, topic }) => ({
    key: id,
    at: Date.parse(receivedAt),
    state: 'bad',
    stage: 'message',
    event: 'message',
    code: reason,
    message: reason === 'unknown_topic' ? `${topic}: ${message}` : message,
    advice: null,
    count: 1,
    address: null,
    payload: payload.slice(0, SHOWN_CHARACTERS),
    ...(reason === 'not_json' && payloadEncoding === 'utf8' && { hint: findJsonFault(payload) }),
    cures: cures[reason] ?? [],
  }))

/** Recognizes common mistakes in JSON. */
export function findJsonFault(payload: string): JsonFault | undefined {
  const text = payload.trim()
  const outside = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
  if (/:\s*-?\d+,\d/.test(outside)) return 'comma'
  if (/'/.test(outside)) return 'single-quotes'
  if (/,\s*[}\]]/.test(outside)) return 'trailing-comma'
  if (/\b(?:NaN|-?Infinity|nan|inf|None|True|False|undefined)\b/.test(outside)) return 'not-a-number'
  if (/[{,]\s*[A-Za-z_]\w*\s*:/.test(outside)) return 'no-quotes'
  if (/^[{[]/.test(text) && count(outside, /[{[]/g) > count(outside, /[}\]]/g)) return 'cut-off'
  return undefined
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
