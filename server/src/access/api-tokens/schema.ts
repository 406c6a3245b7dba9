import Type from 'typebox'
import { validationError } from '../../http/errors.ts'
import { Nullable, Timestamp, Uuid } from '../../http/shapes.ts'

const summary = {
  id: Uuid,
  displayName: Type.String(),
  privileges: Nullable(Type.Array(Type.String())),
  dashboardId: Nullable(
    Type.String({ description: 'The dashboard to which the token is limited; null for other tokens' }),
  ),
  expiresAt: Nullable(Timestamp),
  createdAt: Timestamp,
}
export const ApiTokenSummary = Type.Object(summary, { title: 'ApiToken' })
export const NewApiToken = Type.Object({ ...summary, token: Type.String() }, { title: 'NewApiToken' })

/** @throws validation_error */
export function requireFuture(expiresAt: Date): void {
  if (expiresAt <= new Date()) throw validationError({ path: 'expiresAt', message: 'must lie in the future' })
}
