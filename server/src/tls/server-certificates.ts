/** The certificate of the TLS listeners, renewed while they run. */
import type { SecureContextOptions } from 'node:tls'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { ServerCertificate } from './given-certificate.ts'
import { loadServerCertificate } from './server-certificate.ts'

const RENEWAL_CHECK_MS = 12 * 3600 * 1000

export interface ServerCertificates {
  load(): Promise<ServerCertificate>
  /** Gives the listener each renewed certificate. @returns a function that ends it */
  renew(listener: RenewedListener, options: SecureContextOptions): () => void
}

interface RenewedListener {
  setSecureContext(options: SecureContextOptions): void
}

export function createServerCertificates(config: Config, log: Logger): ServerCertificates {
  let loading: Promise<ServerCertificate> | undefined
  // Two listeners that issue a certificate at the same time would write over each other's files.
  const load = () => (loading ??= loadServerCertificate(config).finally(() => (loading = undefined)))
  return {
    load,
    renew(listener, options) {
      const renewal = setInterval(() => {
        load().then(
          (certificate) => listener.setSecureContext({ ...certificate, ...options }),
          (error: Error) => log.error({ err: error }, 'the certificate of the server cannot be renewed'),
        )
      }, RENEWAL_CHECK_MS)
      return () => clearInterval(renewal)
    },
  }
}
