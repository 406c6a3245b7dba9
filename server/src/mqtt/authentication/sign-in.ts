/** Signs devices in. Each refusal has its code in CONNACK and, if the device is known, is recorded for its client. */
import type { IConnectPacket } from 'mqtt-packet'
import { isDeviceId } from '../../http/page.ts'
import type { AttemptTrail } from '../../onboarding/trace/start-attempt.ts'
import { MAX_PAYLOAD_BYTES } from '../connection/limits.ts'
import { ReasonCode } from '../connection/reason-codes.ts'
import type { RefusalReason } from '../sessions/presence.ts'
import { isOwn, isTopicName, ownTopics } from '../topics.ts'
import type { FindKeySlot } from './device-keys.ts'
import type { PeerCertificate } from './peer-certificate.ts'
import { RefusedError, withinReason } from './refused-error.ts'
import { type CertificateSignInParts, signInWithCertificate } from './sign-in-with-certificate.ts'
import type { SignedIn } from './signed-in.ts'

export interface SignInParts extends CertificateSignInParts {
  findKeySlot: FindKeySlot
}

type SignInRequest = Pick<
  IConnectPacket,
  'username' | 'password' | 'will' | 'clientId' | 'clean' | 'protocolVersion'
>

export interface SignInAttempt {
  /** The certificate, if the device signs in with it. */
  peer: PeerCertificate | undefined
  trail: AttemptTrail
}

/** @throws RefusedError */
export async function signIn(
  parts: SignInParts,
  request: SignInRequest,
  { peer, trail }: SignInAttempt,
): Promise<SignedIn> {
  const signedIn = peer
    ? await signInWithCertificate(parts, { peer, username: request.username, trail })
    : await verify(parts, request, trail)
  const { account } = signedIn
  const refuse = (reason: RefusalReason, code: ReasonCode, message: string) => {
    parts.presence.refused(account.number, reason, message)
    return new RefusedError(code, reason, message)
  }
  if (!account.enabled) throw refuse('client_disabled', ReasonCode.notAuthorized, 'The client is disabled.')
  trail.step('client_enabled')
  if (request.will && !isAllowedWill(account.id, request.will))
    throw refuse(
      'topic_not_allowed',
      ReasonCode.notAuthorized,
      `The will must be on a topic of devices/${account.id}/#, and have ${MAX_PAYLOAD_BYTES} bytes at most.`,
    )
  // [MQTT-3.1.3-8]; on MQTT 5 the server assigns an id, which the device learns.
  if (request.clientId === '' && !request.clean && request.protocolVersion !== 5)
    throw refuse('client_id_not_allowed', ReasonCode.clientIdNotValid, 'A stored session needs a client id.')
  return signedIn
}

/** An unknown device and a wrong key get the same answer. [docs/mqtt#sign-in] */
async function verify(
  parts: SignInParts,
  { username = '', password }: Pick<SignInRequest, 'username' | 'password'>,
  trail: AttemptTrail,
): Promise<SignedIn> {
  const wrong = (reason: 'wrong_key' | 'unknown_device') =>
    new RefusedError(ReasonCode.badUserNameOrPassword, reason, 'The device id or key is wrong.')
  if (!isDeviceId(username)) throw wrong('unknown_device')
  if (!password) throw wrong('wrong_key')
  const account = await withinReason(parts.loadAccount(username))
  if (account) {
    trail.assignUnproven(account)
    trail.step('client_found')
  }
  const slot = await parts.findKeySlot(account, password)
  if (account && slot) {
    trail.assign(account)
    trail.step('client_key_accepted')
    return { account, credential: slot }
  }
  if (!account) throw wrong('unknown_device')
  const message = 'The password is neither of the keys that the client has.'
  parts.presence.refused(account.number, 'wrong_key', message)
  throw wrong('wrong_key')
}

/** A will is published like any other message, so the same rule applies to it. [docs/mqtt#access-rule] */
const isAllowedWill = (deviceId: string, { topic, payload }: { topic: string; payload: Buffer | string }) =>
  isTopicName(topic) && isOwn(ownTopics(deviceId), topic) && payload.length <= MAX_PAYLOAD_BYTES
