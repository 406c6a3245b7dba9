/** Requires the permissions of a caller on the instances that an asset is bound to. */
import { permissionQuestion, checkMany } from '../../access/decisions/check.ts'
import { accessIn } from '../../access/decisions/decisions.ts'
import type { Resource } from '../../access/decisions/access-sql.ts'
import { queriesIn } from '../../access/decisions/queries.ts'
import { requirePermission, callerSubject } from '../../access/require.ts'
import type { Permission } from '../../access/schema.ts'
import { localEndpointKey } from '../endpoints.ts'
import type { EndpointContent } from '../models/model-endpoints.ts'
import type { InstanceType } from './store.ts'
import type { BindDraft } from './bind-draft.ts'

const toResource = (type: InstanceType, id: string): Resource => ({
  type: type === 'client' ? 'provider_client' : 'asset',
  id,
})

/** Reading from an instance requires the permission to view it. @throws forbidden */
export const requireViewOfInstances = (draft: BindDraft): Promise<void> =>
  requireOnAll(
    draft,
    'view',
    [...draft.instances.values()].map(({ type, id }) => toResource(type, id)),
  )

/**
 * Commands and desired properties change the instance that receives them, which requires `manage`. @throws forbidden
 */
export async function requireManageWhereWritten(draft: BindDraft): Promise<void> {
  const written = [...draft.bindings.values()]
    .filter((binding) => goesOut(draft.endpoints.get(localEndpointKey(binding))))
    .flatMap(({ remotes }) => remotes)
  const resources = new Map(
    written.map(({ instanceType, instanceId }) => [
      `${instanceType} ${instanceId}`,
      toResource(instanceType, instanceId),
    ]),
  )
  await requireOnAll(draft, 'manage', [...resources.values()])
}

export const goesOut = (content: EndpointContent | undefined): boolean =>
  content?.kind === 'command' || (content?.kind === 'property' && content.writable)

/** Checks all resources in one statement. A refusal names the first resource without the permission. */
export async function requireOnAll(
  { tx, caller }: Pick<BindDraft, 'tx' | 'caller'>,
  permission: Permission,
  resources: Resource[],
): Promise<void> {
  if (resources.length === 0) return
  const questions = resources.map((resource) =>
    permissionQuestion(caller.tenantId, callerSubject(caller), permission, resource),
  )
  const answers = await checkMany(queriesIn(tx), questions)
  const refused = resources.find((_resource, i) => !answers[i])
  // The limits of an API token depend on the type alone, so one resource of each type is enough to check them.
  const ofEachType = new Map(resources.map((resource) => [resource.type, resource])).values()
  for (const resource of refused ? [refused] : ofEachType)
    await requirePermission(accessIn(tx), caller, permission, resource)
}
