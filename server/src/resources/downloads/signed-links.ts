/**
 * Signed links to download a file without signing in, for devices and pages. They are sealed by this installation, for
 * one file and a limited time.
 */
import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { publicUrl } from '../../http/public-url.ts'
import type { ResourceRow } from '../schema.ts'
import { getResource } from '../store.ts'

/** The place separates links from everything else that is sealed. */
const PLACE = 'link:resource-file'

interface Link {
  tenantId: string
  resourceId: string
  /** The digest of the file: another file is not served by an old link. */
  sha256: string
  expiresAtMs: number
}

/**
 * Returns `{public url}/v1/files/{token}`, which supports Range and HEAD and works until it expires or the file changes.
 * @throws not_found
 */
export async function signedFileUrl(
  ctx: Pick<Context, 'db' | 'sealer' | 'config' | 'endpoints'>,
  asked: { tenantId: string; resourceId: string; lifetimeSeconds: number },
): Promise<string> {
  const { sha256 } = await getResource(ctx.db, asked.tenantId, asked.resourceId)
  return signFileUrl(ctx, { ...asked, sha256 })
}

/** Does the same if the digest is known. */
export function signFileUrl(
  ctx: Pick<Context, 'sealer' | 'config' | 'endpoints'>,
  { lifetimeSeconds, ...file }: Omit<Link, 'expiresAtMs'> & { lifetimeSeconds: number },
): string {
  const link: Link = { ...file, expiresAtMs: Date.now() + lifetimeSeconds * 1000 }
  const token = ctx.sealer.seal(JSON.stringify(link), PLACE).toString('base64url')
  return `${publicUrl(ctx)}/v1/files/${token}`
}

export async function findLinked(
  { db, sealer }: Pick<Context, 'db' | 'sealer'>,
  token: string,
): Promise<ResourceRow | undefined> {
  const link = openLink(sealer, token)
  if (!link || link.expiresAtMs <= Date.now()) return undefined
  const row = await getResource(db, link.tenantId, link.resourceId).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'not_found') return undefined
    throw error
  })
  return row?.sha256 === link.sha256 ? row : undefined
}

function openLink(sealer: Context['sealer'], token: string): Link | undefined {
  try {
    return JSON.parse(sealer.open(Buffer.from(token, 'base64url'), PLACE)) as Link
  } catch {
    return undefined
  }
}
