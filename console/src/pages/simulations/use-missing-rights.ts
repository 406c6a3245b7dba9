import type { Answer } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import type { AskedPermission } from '../../parts/why/Permission.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { usePrivilege } from '../access/use-privilege.ts'
import { withTimeout } from '../devices/timeout.ts'
import type { Simulation } from './simulation.ts'

export interface MissingRights {
  /** Whether the user may not manage the assets that the simulation creates, which its start and its deletion need. */
  assets: boolean
  /** What its start also needs. */
  toView: AskedPermission[]
}

/**
 * Finds what the user lacks to start and to delete a simulation that they see. What is not known yet does not count as
 * missing; then the server decides.
 */
export function useMissingRights(simulation: Simulation): MissingRights {
  const api = useApi()
  const { id: subjectId } = useUser()
  const { organizationId, modelId } = simulation
  const isHeld = usePrivilege('asset_management', organizationId)
  const parts = listParts(simulation)
  const { data: toView = [] } = useQuery({
    queryKey: ['explain', subjectId, 'simulation', organizationId, parts],
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(
        parts.map((part) =>
          api.post('/v1/permissions/explain', {
            body: { subjectType: 'user', subjectId, ...part },
            signal: withTimeout(signal),
          }),
        ),
      )
      return parts.filter((_, index) => isMissing(answers[index]!, organizationId))
    },
    staleTime: 60_000,
    retry: false,
  })
  return { assets: modelId !== null && isHeld === false, toView }
}

/** The objects that a start reads. */
function listParts({ providerId, modelId, signals, firmware }: Simulation): AskedPermission[] {
  const view = (resourceType: AskedPermission['resourceType'], resourceId: string) =>
    ({ resourceType, resourceId, permission: 'view' }) as const
  const files = signals.flatMap(({ generator, resourceId }) =>
    generator === 'csv' && resourceId !== undefined ? [resourceId] : [],
  )
  return [
    view('provider', providerId),
    ...(modelId === null ? [] : [view('model', modelId)]),
    ...[...new Set(files)].map((id) => view('resource_item', id)),
    ...(firmware === null ? [] : [view('firmware', firmware.deploymentTemplateId)]),
  ]
}

/**
 * Whether the answer means that the start is refused. The provider of the simulation's own organization needs no
 * permission, and a deleted object has no organization: the server says so at the start.
 */
function isMissing(answer: Answer<'post', '/v1/permissions/explain'>, organizationId: string): boolean {
  if (answer.result) return false
  const place = answer.missing.find(({ resourceType }) => resourceType === 'organization')
  if (place === undefined) return false
  return answer.resourceType !== 'provider' || place.resourceId !== organizationId
}
