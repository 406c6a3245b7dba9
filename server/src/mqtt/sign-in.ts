/** Signs devices in. Each refusal has its CONNACK code and, if the device is known, is recorded for its client. */
import { randomUUID } from 'node:crypto'
import { isDeviceId } from '../http/page.ts'
import type { Account, LoadAccount } from './accounts.ts'
import type { ConnectRequest } from './connection.ts'
import type { FindKeySlot, KeySlot } from './device-keys.ts'
import { MAX_PAYLOAD_BYTES } from './packet-gate.ts'
import type { Presence, RefusalReason } from './presence.ts'
import { scopedClientId } from './session-store.ts'
import { isOwn, isTopicName, ownTopics } from './topics.ts'

/** CONNACK codes. [MQTT 3.1.1, 3.2.2.3] */
const IDENTIFIER_REJECTED = 2
export const SERVER_UNAVAILABLE = 3
const BAD_USER_NAME_OR_PASSWORD = 4
const NOT_AUTHORIZED = 5

/** A device waits for CONNACK only until its own time-out. */
const MAX_WAIT_MS = 10_000

export class RefusedError extends Error {
  /** @param reason for the log: CONNACK does not distinguish an unknown device from a wrong key */
  constructor(
    readonly returnCode: number,
    readonly reason: RefusalReason | 'unknown_device' | 'server_unavailable',
    message: string,
  ) {
    super(message)
  }
}

export interface SignedIn {
  account: Account
  slot: KeySlot
  clientId: string
}

export interface SignInParts {
  loadAccount: LoadAccount
  findKeySlot: FindKeySlot
  presence: Presence
}

/** @throws RefusedError */
export async function signIn(
  parts: SignInParts,
  request: ConnectRequest,
  username: string | undefined,
  password: Buffer | undefined,
): Promise<SignedIn> {
  const { account, slot } = await verify(parts, username, password)
  const refuse = (reason: RefusalReason, returnCode: number, message: string) => {
    parts.presence.refused(account.number, reason, message)
    return new RefusedError(returnCode, reason, message)
  }
  if (!account.enabled) throw refuse('client_disabled', NOT_AUTHORIZED, 'The client is disabled.')
  if (request.will && !isAllowedWill(account.id, request.will))
    throw refuse(
      'topic_not_allowed',
      NOT_AUTHORIZED,
      `The will must be on a topic of devices/${account.id}/#, and have ${MAX_PAYLOAD_BYTES} bytes at most.`,
    )
  // [MQTT-3.1.3-8]
  if (request.clientId === '' && !request.clean)
    throw refuse('client_id_not_allowed', IDENTIFIER_REJECTED, 'A stored session needs a client id.')
  return { account, slot, clientId: scopedClientId(account.id, request.clientId || randomUUID()) }
}

/** An unknown device and a wrong key get the same answer. [docs/mqtt#sign-in] */
async function verify(parts: SignInParts, username = '', password: Buffer | undefined) {
  const wrong = (reason: 'wrong_key' | 'unknown_device') =>
    new RefusedError(BAD_USER_NAME_OR_PASSWORD, reason, 'The device id or key is wrong.')
  if (!isDeviceId(username)) throw wrong('unknown_device')
  if (!password) throw wrong('wrong_key')
  const account = await withinReason(parts.loadAccount(username))
  const slot = await parts.findKeySlot(account, password)
  if (account && slot) return { account, slot }
  if (!account) throw wrong('unknown_device')
  const message = 'The password is neither of the keys that the client has.'
  parts.presence.refused(account.number, 'wrong_key', message)
  throw wrong('wrong_key')
}

function withinReason<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const unavailable = () =>
      reject(new RefusedError(SERVER_UNAVAILABLE, 'server_unavailable', 'The database does not answer.'))
    const timer = setTimeout(unavailable, MAX_WAIT_MS)
    answer.then(resolve, unavailable).finally(() => clearTimeout(timer))
  })
}

/** A will is published like any other message, so the same rule applies to it. [docs/mqtt#access-rule] */
const isAllowedWill = (deviceId: string, { topic, payload }: { topic: string; payload: Buffer }) =>
  isTopicName(topic) && isOwn(ownTopics(deviceId), topic) && payload.length <= MAX_PAYLOAD_BYTES
