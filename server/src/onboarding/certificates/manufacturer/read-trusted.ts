import { createBoundedCache } from '../../../lib/bounded-cache.ts'
import type { EnrollingGroup } from '../est/find-group.ts'
import { type ParsedCertificate, parseCertificate } from '../read-authority-certificate.ts'
import { readOnePem } from '../read-pem.ts'

const MAX_GROUPS = 1000

/** @returns the authorities of manufacturers that the group trusts @throws CertificateProblem */
export type ReadTrusted = (group: EnrollingGroup) => ParsedCertificate[]

/** Parses the certificates of a group once for each version of its settings. */
export function createTrustReader(parse = parseCertificate): ReadTrusted {
  const cache = createBoundedCache<string, { version: string; trusted: ParsedCertificate[] }>(MAX_GROUPS)
  return ({ id, settings, settingsVersion }) => {
    if (!settings || settingsVersion === null) return []
    const known = cache.get(id)
    if (known?.version === settingsVersion) return known.trusted
    const trusted = settings.manufacturer_cas.map((pem) => parse(readOnePem(pem)))
    cache.set(id, { version: settingsVersion, trusted })
    return trusted
  }
}
