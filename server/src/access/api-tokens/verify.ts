/** API tokens: `gwt_<id>_<secret>`. Only a digest of the secret is kept; it is random, so a fast digest is enough. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Principals } from '../sign-in/principals.ts'

const PATTERN = /^gwt_([0-9a-f]{32})_([A-Za-z0-9_-]{43})$/

export function newApiToken(id: string) {
  const secret = randomBytes(32).toString('base64url')
  return { token: `gwt_${id.replaceAll('-', '')}_${secret}`, secretHash: digest(secret) }
}

/** @returns undefined for another kind of token, and for one that is wrong or has ended */
export async function findApiTokenPrincipal(principals: Principals, token: string) {
  const [, hex, secret] = PATTERN.exec(token) ?? []
  if (!hex || !secret) return undefined
  const principal = await principals.findByApiToken(
    hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  )
  if (!principal || principal.expired || principal.disabled) return undefined
  if (!timingSafeEqual(principal.secretHash, digest(secret))) return undefined
  const limits = await principals.findLimits(principal)
  const { tokenId, privileges, expiresAt } = principal
  return limits && { principal, tokenId, signInId: undefined, privileges, expiresAt, ...limits }
}

const digest = (secret: string) => createHash('sha256').update(secret).digest()
