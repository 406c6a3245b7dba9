/** Identifies a user of an OIDC issuer. */
export interface OidcIdentity {
  tenantId: string
  issuer: string
  subject: string
}
