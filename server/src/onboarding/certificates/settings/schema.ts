import Type, { type Static } from 'typebox'

const MAX_CAS = 20
const MAX_PEM_CHARACTERS = 16_384

/** [docs/certificates#settings-of-a-group] */
export const CertificateSettings = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether devices of the group may enrol for certificates' }),
    minimum_tier: Type.Enum([1, 2, 3], {
      description:
        'The weakest proof of identity that is accepted: 1 bootstrap key, 2 derived key, 3 manufacturer certificate',
    }),
    manufacturer_cas: Type.Array(Type.String({ minLength: 1, maxLength: MAX_PEM_CHARACTERS }), {
      maxItems: MAX_CAS,
      description: 'Authorities of the manufacturer that tier 3 trusts, one certificate in PEM each',
    }),
    validity_days: Type.Integer({ minimum: 1, maximum: 3650, description: 'The life of a certificate' }),
    renewal_grace_days: Type.Integer({
      minimum: 0,
      maximum: 365,
      description: 'For how many days an expired certificate may still renew; it never connects',
    }),
  },
  { title: 'CertificateSettings' },
)
export type CertificateSettings = Static<typeof CertificateSettings>

/** Absent fields keep their values. */
export const UpdateCertificateSettings = Type.Partial(CertificateSettings)
