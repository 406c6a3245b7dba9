/** Links that need no signing in, for devices and pages: sealed by this installation, for one file and a limited time. */
import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { publicUrl } from '../../http/public-url.ts'
import type { ResourceRow } from '../schema.ts'
import { getResource } from '../store.ts'

/** What else is sealed opens at no such place, so that nothing but a link is taken for one. */
const PLACE = 'link:resource-file'

interface Link {
  tenantId: string
  resourceId: string
  /** Of what is behind it: another file is not served under an old link. */
  sha256: string
  expiresAtMs: number
}

/**
 * `{public url}/v1/files/{token}`, with Range and HEAD, as long as it lives and the file is the same.
 * @throws not_found
 */
export async function signedFileUrl(
  ctx: Pick<Context, 'db' | 'sealer' | 'config' | 'endpoints'>,
  asked: { tenantId: string; resourceId: string; lifetimeSeconds: number },
): Promise<string> {
  const { sha256 } = await getResource(ctx.db, asked.tenantId, asked.resourceId)
  return fileUrlOf(ctx, { ...asked, sha256 })
}

/** The same for whoever knows what is behind it. */
export function fileUrlOf(
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
