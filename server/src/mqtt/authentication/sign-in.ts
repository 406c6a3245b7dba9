/** Signs devices in. Each refusal has its code in CONNACK and, if the device is known, is recorded for its client. */
import type { IConnectPacket } from 'mqtt-packet'
import { isDeviceId } from '../../http/page.ts'
import { MAX_PAYLOAD_BYTES } from '../connection/limits.ts'
import { ReasonCode } from '../connection/reason-codes.ts'
import type { Presence, RefusalReason } from '../sessions/presence.ts'
import { isOwn, isTopicName, ownTopics } from '../topics.ts'
import type { Account, LoadAccount } from './accounts.ts'
import type { FindKeySlot, KeySlot } from './device-keys.ts'

/** A device waits for CONNACK only until its own time-out. */
const MAX_WAIT_MS = 10_000

export class RefusedError extends Error {
  /** @param reason for the log: CONNACK does not distinguish an unknown device from a wrong key */
  constructor(
    readonly code: ReasonCode,
    readonly reason: RefusalReason | 'unknown_device' | 'server_unavailable' | 'protocol_error',
    message: string,
  ) {
    super(message)
  }
}

export interface SignedIn {
  account: Account
  slot: KeySlot
}

export interface SignInParts {
  loadAccount: LoadAccount
  findKeySlot: FindKeySlot
  presence: Presence
}

type SignInRequest = Pick<
  IConnectPacket,
  'username' | 'password' | 'will' | 'clientId' | 'clean' | 'protocolVersion'
>

/** @throws RefusedError */
export async function signIn(parts: SignInParts, request: SignInRequest): Promise<SignedIn> {
  const { account, slot } = await verify(parts, request.username, request.password)
  const refuse = (reason: RefusalReason, code: ReasonCode, message: string) => {
    parts.presence.refused(account.number, reason, message)
    return new RefusedError(code, reason, message)
  }
  if (!account.enabled) throw refuse('client_disabled', ReasonCode.notAuthorized, 'The client is disabled.')
  if (request.will && !isAllowedWill(account.id, request.will))
    throw refuse(
      'topic_not_allowed',
      ReasonCode.notAuthorized,
      `The will must be on a topic of devices/${account.id}/#, and have ${MAX_PAYLOAD_BYTES} bytes at most.`,
    )
  // [MQTT-3.1.3-8]; on MQTT 5 the server assigns an id, which the device learns.
  if (request.clientId === '' && !request.clean && request.protocolVersion !== 5)
    throw refuse('client_id_not_allowed', ReasonCode.clientIdNotValid, 'A stored session needs a client id.')
  return { account, slot }
}

/** An unknown device and a wrong key get the same answer. [docs/mqtt#sign-in] */
async function verify(parts: SignInParts, username = '', password?: Buffer) {
  const wrong = (reason: 'wrong_key' | 'unknown_device') =>
    new RefusedError(ReasonCode.badUserNameOrPassword, reason, 'The device id or key is wrong.')
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

export function withinReason<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const unavailable = () =>
      reject(
        new RefusedError(ReasonCode.serverUnavailable, 'server_unavailable', 'The database does not answer.'),
      )
    const timer = setTimeout(unavailable, MAX_WAIT_MS)
    answer.then(resolve, unavailable).finally(() => clearTimeout(timer))
  })
}

/** A will is published like any other message, so the same rule applies to it. [docs/mqtt#access-rule] */
const isAllowedWill = (deviceId: string, { topic, payload }: { topic: string; payload: Buffer | string }) =>
  isTopicName(topic) && isOwn(ownTopics(deviceId), topic) && payload.length <= MAX_PAYLOAD_BYTES
