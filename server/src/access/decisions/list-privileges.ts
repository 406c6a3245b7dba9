import { checkPrivilege, type PrivilegeRequest } from './check-privilege.ts'
import type { Subject } from './access-sql.ts'
import type { Privilege } from '../privileges.ts'
import type { Queries } from './queries.ts'
import { listOrganizationsOfPrivileges } from './reach.ts'

export interface PrivilegeTuple {
  subjectType: Subject['type']
  subjectId: string
  privilege: Privilege
  /** Absent for the privileges of an organization or a tenant itself. */
  organizationId?: string
}

/** Lists where the subject holds the privilege: one tuple for each organization, in the order of ids. */
export async function listPrivileges(
  queries: Queries,
  { tenantId, subject, privilege, organizationId }: PrivilegeRequest,
): Promise<PrivilegeTuple[]> {
  const tuple = { subjectType: subject.type, subjectId: subject.id, privilege }
  const isPlace = subject.type === 'organization' || subject.type === 'tenant'
  if (organizationId !== undefined || isPlace) {
    const holds = await checkPrivilege(queries, { tenantId, subject, privilege, organizationId })
    return holds ? [{ ...tuple, ...(organizationId && { organizationId }) }] : []
  }
  const [organizationIds] = await listOrganizationsOfPrivileges(queries, [{ tenantId, subject, privilege }])
  return organizationIds!.map((id) => ({ ...tuple, organizationId: id }))
}
