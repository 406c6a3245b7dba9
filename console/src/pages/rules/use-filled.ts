import { useModel } from '../models/use-model.ts'
import { useOrganizationId } from '../access/use-organization-id.ts'
import type { RuleDraft } from './rule.ts'

interface Filled {
  values: RuleDraft
  /** Waits until the organization is known. */
  fill: () => Promise<RuleDraft>
}

/** The draft, with the default organization where none is chosen: that of the model, if the user may create rules there. */
export function useFilled(draft: RuleDraft): Filled {
  const model = useModel(draft.modelId)
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'alarm_management',
    chosen: draft.organizationId,
    preferred: model.data?.organizationId,
  })
  return {
    values: { ...draft, organizationId },
    fill: async () => ({ ...draft, organizationId: await findOrganizationId() }),
  }
}
