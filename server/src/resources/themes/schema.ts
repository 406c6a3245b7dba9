import Type, { type Static } from 'typebox'
import { Nullable, Uuid } from '../../http/shapes.ts'

export const MAX_COLORS = 100

const Color = Type.String({
  pattern: '^#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$',
  description: 'CSS hex color',
})
const Colors = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {},
    {
      additionalProperties: Color,
      propertyNames: Type.String({ minLength: 1, maxLength: 64 }),
      maxProperties: MAX_COLORS,
    },
  ),
)

/** The document of a resource with the tag `theme`; its additional fields belong to the console. [docs/files#themes] */
export const ThemeDocument = Type.Object({
  logo: Type.Optional(Nullable(Uuid)),
  favicon: Type.Optional(Nullable(Uuid)),
  colors: Type.Optional(Colors),
})
export type ThemeDocument = Static<typeof ThemeDocument>

/** All fields are null if there is no theme. */
export const CurrentTheme = Type.Object(
  {
    resourceId: Nullable(Uuid),
    organizationId: Nullable(Uuid),
    displayName: Nullable(Type.String()),
    logo: Nullable(Uuid),
    favicon: Nullable(Uuid),
    logoUrl: Nullable(Type.String({ description: 'An address that needs no authentication for a day' })),
    faviconUrl: Nullable(Type.String({ description: 'An address that needs no authentication for a day' })),
    missing: Type.Array(Type.String(), {
      description: 'Deleted pictures of the theme',
    }),
    colors: Nullable(Colors),
  },
  { title: 'CurrentTheme' },
)
