/** Records TLS handshakes that failed, before the device could say who it is. [docs/onboarding#decision-trace] */
import type { Context } from '../context.ts'

type Recorder = Pick<Context['attempts'], 'record'>
type Code = Parameters<Recorder['record']>[0]['steps'][number]['code']

export function recordHandshake(
  attempts: Recorder,
  { code, address, message }: { code: Code; address: string | undefined; message?: string },
): void {
  attempts.record({
    kind: 'tls_handshake',
    isProven: false,
    deviceId: '',
    address: address?.replace(/^::ffff:/, ''),
    startedAt: new Date(),
    durationMs: 0,
    outcome: 'refused',
    steps: [message === undefined ? { code } : { code, message }],
  })
}

/** Alerts of a client that rejects the certificate. */
const certificateAlert = /ALERT_(?:UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE)/
const clearText = /WRONG_VERSION_NUMBER|HTTP_REQUEST|UNKNOWN_PROTOCOL|PACKET_LENGTH_TOO_LONG|BAD_RECORD_TYPE/
/** Errors of a connection that the client ended without an alert. */
const silent = new Set(['ECONNRESET', 'EPIPE', 'ERR_TLS_HANDSHAKE_TIMEOUT'])

/** @param error from the event `tlsClientError` */
export function recordHandshakeError(
  attempts: Recorder,
  error: Error & { code?: string; reason?: string },
  address: string | undefined,
): void {
  const { code = '' } = error
  if (silent.has(code)) return
  if (certificateAlert.test(code)) recordHandshake(attempts, { code: 'server_certificate_refused', address })
  else if (clearText.test(code)) recordHandshake(attempts, { code: 'tls_expected', address })
  else recordHandshake(attempts, { code: 'tls_handshake_failed', address, message: error.reason ?? code })
}
