/** A user of an OIDC issuer, as the issuer names them. */
export interface OidcIdentity {
  tenantId: string
  issuer: string
  subject: string
}
