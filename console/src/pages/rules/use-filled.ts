import { useModel } from '../models/use-model.ts'
import { useOrganizationId } from '../access/use-organization-id.ts'
import type { RuleDraft } from './rule.ts'

/** The draft, with the default organization where none is chosen: that of the model, if the user may create rules there. */
export function useFilled(draft: RuleDraft): RuleDraft {
  const model = useModel(draft.modelId)
  const organizationId = useOrganizationId({
    privilege: 'alarm_management',
    chosen: draft.organizationId,
    preferred: model.data?.organizationId,
  })
  return { ...draft, organizationId }
}
