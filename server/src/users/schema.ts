import Type from 'typebox'
import { DisplayName, Nullable, Uuid } from '../http/shapes.ts'
import type { UserRow } from '../database/tables/users.ts'

export const Email = Type.String({ format: 'email', maxLength: 320 })
export const Password = Type.String({ minLength: 8, maxLength: 1024 })

/** A field of requests that change a password. */
export const KeepApiTokens = Type.Optional(
  Type.Boolean({ description: "true keeps the user's API tokens, which are revoked otherwise" }),
)

export const CreateUser = Type.Object({
  displayName: DisplayName,
  email: Email,
  password: Type.Optional({
    ...Password,
    description: 'If absent, the user is mailed a link that works once, within three days, and sets it',
  }),
})

export const ChangeUser = Type.Object({
  displayName: Type.Optional(DisplayName),
  phoneNumber: Type.Optional(
    Nullable(
      Type.String({ pattern: '^\\+[1-9][0-9]{1,14}$', description: 'International: `+` and digits (E.164)' }),
    ),
  ),
  disabled: Type.Optional(Type.Boolean({ description: 'true ends every sign-in and stops every API token' })),
})

export const UserRecord = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    email: Nullable(Type.String()),
    phoneNumber: Nullable(Type.String()),
    disabled: Type.Boolean(),
  },
  { title: 'User' },
)

export const userShape = (row: UserRow) => ({
  id: row.id,
  displayName: row.display_name,
  email: row.email,
  phoneNumber: row.phone_number,
  disabled: row.disabled_at !== null,
})
