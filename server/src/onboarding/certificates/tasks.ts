import type { Context } from '../../context.ts'
import type { Tasks } from '../../jobs/jobs.ts'
import { announceExpiring } from './expiry/announce-expiring.ts'
import {
  REVOKE_CERTIFICATES,
  type RevokeCertificatesPayload,
  revokeCertificatesOfAuthority,
} from './revocation/revoke-authority.ts'

/** The jobs of certificates, by task name. */
export const certificateTasks = (ctx: Context): Tasks => ({
  'announce-expiring-certificates': () => announceExpiring(ctx),
  [REVOKE_CERTIFICATES]: (payload) =>
    revokeCertificatesOfAuthority(ctx, payload as RevokeCertificatesPayload),
})
