/** What a caller must hold on what they bind to. */
import { permissionQuestion, checkMany } from '../../access/decisions/check.ts'
import { accessIn } from '../../access/decisions/decisions.ts'
import type { Resource } from '../../access/decisions/access-sql.ts'
import { queriesOf } from '../../access/decisions/queries.ts'
import { requirePermission, subjectOf } from '../../access/require.ts'
import type { Permission } from '../../access/schema.ts'
import { localEndpointKey } from '../endpoints.ts'
import type { EndpointContent } from '../models/model-endpoints.ts'
import type { InstanceType } from './store.ts'
import type { BindWork } from './bind-draft.ts'

const resourceOf = (type: InstanceType, id: string): Resource => ({
  type: type === 'client' ? 'provider_client' : 'asset',
  id,
})

/** Whoever reads from something sees it. @throws forbidden */
export const requireViewOfInstances = (work: BindWork): Promise<void> =>
  requireOnAll(
    work,
    'view',
    [...work.instances.values()].map(({ type, id }) => resourceOf(type, id)),
  )

/** Where commands and desired values go out, they change what they come to. @throws forbidden */
export async function requireManageWhereWritten(work: BindWork): Promise<void> {
  const written = [...work.drafts.values()]
    .filter((draft) => goesOut(work.endpoints.get(localEndpointKey(draft))))
    .flatMap(({ remotes }) => remotes)
  const resources = new Map(
    written.map(({ instanceType, instanceId }) => [
      `${instanceType} ${instanceId}`,
      resourceOf(instanceType, instanceId),
    ]),
  )
  await requireOnAll(work, 'manage', [...resources.values()])
}

export const goesOut = (content: EndpointContent | undefined): boolean =>
  content?.kind === 'command' || (content?.kind === 'property' && content.writable)

/** One statement for all of them; the refusal of one says what is missing. */
export async function requireOnAll(
  { tx, caller }: Pick<BindWork, 'tx' | 'caller'>,
  permission: Permission,
  resources: Resource[],
): Promise<void> {
  if (resources.length === 0) return
  const questions = resources.map((resource) =>
    permissionQuestion(caller.tenantId, subjectOf(caller), permission, resource),
  )
  const answers = await checkMany(queriesOf(tx), questions)
  const refused = resources.find((_resource, i) => !answers[i])
  // What an API token is limited to is a matter of the type.
  const ofEachType = new Map(resources.map((resource) => [resource.type, resource])).values()
  for (const resource of refused ? [refused] : ofEachType)
    await requirePermission(accessIn(tx), caller, permission, resource)
}
