import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { isDeviceId } from '../../http/page.ts'
import { listConflictingClients } from './store.ts'

export interface IdProblem {
  error: 'validation_error' | 'provider_rejected'
  message: string
}

/**
 * Says why ids cannot be used for clients of the provider. [docs/providers#clients]
 * @returns in the order of the ids: undefined for an id that is available or a client of the provider already
 */
export async function listIdProblems(
  db: Kysely<Tables>,
  tenantId: string,
  providerId: string,
  clientIds: string[],
): Promise<(IdProblem | undefined)[]> {
  const holders = await listConflictingClients(db, tenantId, clientIds.filter(isDeviceId))
  const elsewhere = new Map<string, IdProblem>()
  for (const { id, tenant_id, provider_id } of holders) {
    // The message must not reveal that another tenant has the id.
    if (tenant_id !== tenantId)
      elsewhere.set(id, { error: 'provider_rejected', message: `The id ${id} is taken. Use another.` })
    else if (provider_id !== providerId)
      elsewhere.set(id, {
        error: 'provider_rejected',
        message: `The id ${id} belongs to the provider ${provider_id}.`,
      })
  }
  return clientIds.map((id) => (isDeviceId(id) ? elsewhere.get(id) : malformed))
}

const malformed: IdProblem = {
  error: 'validation_error',
  message: 'An id has 1 to 128 letters, digits, `.`, `_`, `-`, and is not `.` or `..`.',
}
