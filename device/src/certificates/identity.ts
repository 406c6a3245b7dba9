import type { X509Certificate } from 'node:crypto'
import type { TlsOptions } from '../session.ts'
import type { ResolvedAccess } from './enrollment-access.ts'
import { EnrollmentError } from './enrollment-error.ts'
import type { KeyPair } from './key-pair.ts'
import { addCertificates, certificatePem, createKeyPair, encodeKeyPair, keyPem } from './key-pair.ts'
import type { CertificateAnswer } from './request-certificate.ts'
import { requestCertificate } from './request-certificate.ts'
import type { CertificateStore } from './store.ts'

/** A certificate with its private key, as a connection presents it. */
export interface Candidate {
  certificate: X509Certificate
  /** PEM, the certificate followed by its issuers. */
  cert: string
  /** PEM */
  key: string
  /** A renewed certificate, which replaces the one in use once a connection with it has succeeded. */
  isNext: boolean
}

/** Key and certificate of a device in its store. Returned by `enroll`; `connect({ identity })` uses and renews it. */
export interface Identity {
  readonly deviceId: string
  /** The authorities that the device trusts. */
  readonly ca: TlsOptions['ca']
  /** The certificates for the next connection, in the order to try them: a renewed one before the one in use. */
  candidates(): Candidate[]
  /** Requests a new certificate for a new key and stores both beside the ones in use. Sends one request at most. */
  requestNext(nowMs: number, signal?: AbortSignal): Promise<CertificateAnswer>
  /** Makes the renewed key and certificate the ones in use. To be called once a connection with them has succeeded. */
  exchange(): Promise<void>
  /** Deletes the renewed key and certificate. To be called if the broker accepts the old certificate only. */
  discardNext(): Promise<void>
}

export interface IdentityState {
  readonly access: ResolvedAccess
  readonly store: CertificateStore
  current: KeyPair | null
  /** A key that has no certificate yet belongs to a request that was not answered; the request is repeated. */
  next: KeyPair | null
}

export function createIdentity(state: IdentityState): Identity {
  return {
    deviceId: state.access.deviceId,
    ca: state.access.tls.ca,
    candidates: () => [...toCandidates(state.next, true), ...toCandidates(state.current, false)],
    requestNext: (nowMs, signal) => requestNext(state, nowMs, signal),
    exchange: () => exchange(state),
    async discardNext() {
      await state.store.remove('next')
      state.next = null
    },
  }
}

function toCandidates(pair: KeyPair | null, isNext: boolean): Candidate[] {
  const certificate = pair?.certificates[0]
  if (!pair || !certificate) return []
  return [{ certificate, cert: certificatePem(pair), key: keyPem(pair), isNext }]
}

async function requestNext(
  state: IdentityState,
  nowMs: number,
  signal?: AbortSignal,
): Promise<CertificateAnswer> {
  const { access, store } = state
  if (state.next?.certificates.length)
    return { kind: 'certificates', status: 200, certificates: state.next.certificates }
  if (!state.next) {
    const created = createKeyPair(access.deviceId)
    // Stored before it is sent: if the power is cut before the answer arrives, the repeated request gets the same certificate.
    await store.write('next', encodeKeyPair(created))
    state.next = created
  }
  const answer = await request(state, state.next, nowMs, signal)
  return answer.kind === 'certificates' ? storeIssued(state, state.next, answer) : answer
}

/** A device whose certificate is refused signs in as at its first enrollment, where it can. */
async function request(
  { access, current }: IdentityState,
  pair: KeyPair,
  nowMs: number,
  signal: AbortSignal | undefined,
): Promise<CertificateAnswer> {
  const { estUrl, initial, tls, timeoutMs } = access
  const common = { request: pair.request, timeoutMs, signal, nowMs }
  const [inUse] = toCandidates(current, false)
  const renewed =
    inUse &&
    (await requestCertificate({
      ...common,
      url: new URL('simplereenroll', estUrl),
      tls: { ...tls, cert: inUse.cert, key: inUse.key },
    }))
  if (renewed && (renewed.kind !== 'refused' || !initial)) return renewed
  if (!initial) throw new TypeError('give a key or manufacturerCertificate: the store has no certificate')
  const url = new URL('simpleenroll', estUrl)
  if ('basic' in initial) return requestCertificate({ ...common, url, tls, basic: initial.basic })
  return requestCertificate({ ...common, url, tls: { ...tls, ...initial.tls } })
}

async function storeIssued(
  state: IdentityState,
  pair: KeyPair,
  answer: CertificateAnswer & { kind: 'certificates' },
): Promise<CertificateAnswer> {
  let issued: KeyPair
  try {
    issued = addCertificates(pair, answer.certificates, state.access.deviceId)
  } catch (error) {
    return refuse((error as Error).message)
  }
  await state.store.write('next', encodeKeyPair(issued))
  state.next = issued
  if (!state.current) await exchange(state)
  return answer
}

async function exchange(state: IdentityState): Promise<void> {
  if (!state.next?.certificates.length) return
  await state.store.write('current', encodeKeyPair(state.next))
  state.current = state.next
  await state.store.remove('next')
  state.next = null
}

const refuse = (message: string): CertificateAnswer => ({
  kind: 'refused',
  error: new EnrollmentError(200, 'invalid_answer', message),
})
