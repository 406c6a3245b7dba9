/** What a caller must hold on what they bind to. */
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

/** Whoever reads from something sees it. @throws forbidden */
export const requireViewOfInstances = (draft: BindDraft): Promise<void> =>
  requireOnAll(
    draft,
    'view',
    [...draft.instances.values()].map(({ type, id }) => toResource(type, id)),
  )

/** Where commands and desired values go out, they change what they come to. @throws forbidden */
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

/** One statement for all of them; the refusal of one says what is missing. */
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
  // What an API token is limited to is a matter of the type.
  const ofEachType = new Map(resources.map((resource) => [resource.type, resource])).values()
  for (const resource of refused ? [refused] : ofEachType)
    await requirePermission(accessIn(tx), caller, permission, resource)
}
