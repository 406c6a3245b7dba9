/** Records connections that ended before CONNECT because of TLS. [docs/onboarding#decision-trace] */
import type { Attempts } from '../../onboarding/trace/attempts.ts'
import { recordHandshake } from '../../tls/record-handshake.ts'
import type { Connection } from '../state.ts'

const HANDSHAKE_RECORD = 0x16
const TLS_MAJOR_VERSION = 3

/** @param chunk the first bytes of a connection, which are not MQTT */
export function recordUnexpectedTls(
  attempts: Pick<Attempts, 'record'>,
  { remoteAddress: address }: Connection,
  chunk: Buffer | undefined,
): void {
  if (chunk?.[0] === HANDSHAKE_RECORD && chunk[1] === TLS_MAJOR_VERSION)
    recordHandshake(attempts, { code: 'tls_not_expected', address })
}
