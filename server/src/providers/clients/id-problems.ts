import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { isDeviceId } from '../../http/page.ts'
import { listHolders } from './store.ts'

export interface IdProblem {
  error: 'validation_error' | 'provider_rejected'
  message: string
}

/**
 * Why these ids cannot be clients of this provider; nothing for one that can be or is. [docs/providers#clients]
 * @returns in the ids' order
 */
export async function listIdProblems(
  db: Kysely<Tables>,
  tenantId: string,
  providerId: string,
  clientIds: string[],
): Promise<(IdProblem | undefined)[]> {
  const holders = await listHolders(db, tenantId, clientIds.filter(isDeviceId))
  const elsewhere = new Map<string, IdProblem>()
  for (const { id, tenant_id, provider_id } of holders) {
    // Of another tenant it is told only that the id is taken.
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
