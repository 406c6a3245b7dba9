import Type from 'typebox'
import { requirePermission } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import { user } from '../../http/access.ts'
import { ApiError } from '../../http/errors.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { signedFileUrl } from '../downloads/signed-links.ts'
import { CurrentTheme } from './schema.ts'
import { findUserOrganization, findTheme, type ThemeRow } from './store.ts'

const LINK_SECONDS = 24 * 60 * 60

export const themeRoutes = (ctx: Context): Route[] => [
  route({
    method: 'GET',
    url: '/v1/themes/current',
    operationId: 'getCurrentTheme',
    summary: "The theme of the caller's organization, or of the nearest one above it",
    access: user(),
    secret: true,
    query: Type.Object({ organizationId: Type.Optional(Uuid) }),
    response: { 200: CurrentTheme },
    handler: async ({ caller, query: { organizationId } }) => {
      const { tenantId, userId } = caller
      if (organizationId)
        await requirePermission(ctx, caller, 'view', { type: 'organization', id: organizationId })
      const home = organizationId ?? (await findUserOrganization(ctx.db, tenantId, userId))
      return themeShape(ctx, tenantId, home && (await findTheme(ctx.db, tenantId, home)))
    },
  }),
]

/** Members of an organization see its theme, even if it was created in an organization that they may not view. */
async function themeShape(ctx: Context, tenantId: string, row: ThemeRow | '' | undefined) {
  const { logo = null, favicon = null, colors = null } = row ? row.document : {}
  const [logoUrl, faviconUrl] = [
    await pictureUrl(ctx, tenantId, logo),
    await pictureUrl(ctx, tenantId, favicon),
  ]
  const missing = [
    ...(logo !== null && logoUrl === null ? ['logo'] : []),
    ...(favicon !== null && faviconUrl === null ? ['favicon'] : []),
  ]
  return {
    resourceId: row ? row.id : null,
    organizationId: row ? row.organization_id : null,
    displayName: row ? row.display_name : null,
    logo,
    favicon,
    logoUrl,
    faviconUrl,
    missing,
    colors,
  }
}

/** @returns null also if the picture was deleted */
async function pictureUrl(ctx: Context, tenantId: string, resourceId: string | null) {
  if (resourceId === null) return null
  try {
    return await signedFileUrl(ctx, { tenantId, resourceId, lifetimeSeconds: LINK_SECONDS })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return null
    throw error
  }
}
