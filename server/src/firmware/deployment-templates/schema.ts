import { isDeepStrictEqual } from 'node:util'
import Type, { type Static } from 'typebox'
import { type Issue, validationError } from '../../http/errors.ts'
import { Description, DisplayName, Nullable, Uuid } from '../../http/shapes.ts'
import { placeholderIssues } from './placeholders.ts'
import type { DeploymentTemplateRow } from '../../database/tables/firmware.ts'

/** A desired property's name: not one that the platform keeps for itself. */
const PropertyName = Type.String({ pattern: '^[^$]', minLength: 1, maxLength: 256 })

const Step = Type.Object({
  name: PropertyName,
  displayName: Type.Optional(Type.String({ maxLength: 256 })),
  type: Type.Literal('SetProperty'),
  value: Type.Unknown(),
})
const Values = Type.Array(Type.Object({ value: Type.Unknown() }), { maxItems: 100 })
const listNames = ['successStatuses', 'failureStatuses', 'rejectStatuses', 'cancelStatuses'] as const
const Status = Type.Object({
  statusPropertyName: PropertyName,
  statusMap: Type.Object({
    successStatuses: Values,
    failureStatuses: Values,
    rejectStatuses: Values,
    cancelStatuses: Values,
  }),
  statusType: Type.Literal('ReportedProperty'),
})

export const CreateDeploymentTemplate = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  version: Type.Optional(Nullable(Type.String({ maxLength: 128 }))),
  steps: Type.Array(Step, { minItems: 1, maxItems: 20 }),
  status: Status,
  organizationId: Uuid,
})
export type CreateDeploymentTemplate = Static<typeof CreateDeploymentTemplate>

export const DeploymentTemplatePath = Type.Object({ deploymentTemplateId: Uuid })

export const DeploymentTemplateRecord = Type.Object(
  {
    templateId: Uuid,
    displayName: Type.String(),
    description: Description,
    version: Nullable(Type.String()),
    steps: Type.Array(Step),
    status: Status,
    organizationId: Uuid,
  },
  { title: 'DeploymentTemplate' },
)

export const deploymentTemplateShape = (
  row: DeploymentTemplateRow,
): Static<typeof DeploymentTemplateRecord> => ({
  templateId: row.id,
  displayName: row.display_name,
  description: row.description,
  version: row.version,
  steps: row.steps,
  status: row.status,
  organizationId: row.organization_id,
})

/** As text of the desired state, where it has to find room. */
const MAX_STEPS_BYTES = 64 * 1024

/** @throws validation_error for what the types cannot say */
export function requireUsable({ steps, status }: CreateDeploymentTemplate): void {
  const issues = [...stepIssues(steps), ...statusIssues(status.statusMap)]
  if (Buffer.byteLength(JSON.stringify(steps)) > MAX_STEPS_BYTES)
    issues.push({ path: 'steps', message: `must not exceed ${MAX_STEPS_BYTES} bytes` })
  if (issues.length > 0) throw validationError(...issues)
}

function stepIssues(steps: CreateDeploymentTemplate['steps']): Issue[] {
  return steps.flatMap(({ name, value }, index) => [
    ...(steps.findIndex((step) => step.name === name) < index
      ? [{ path: `steps.${index}.name`, message: `${name} is the name of an earlier step` }]
      : []),
    ...(value === null ? [{ path: `steps.${index}.value`, message: 'must not be null' }] : []),
    ...placeholderIssues(value, `steps.${index}.value`),
  ])
}

/** A value that stood in two lists would mean two things. */
function statusIssues(map: CreateDeploymentTemplate['status']['statusMap']): Issue[] {
  const seen: { value: unknown; list: string }[] = []
  const issues: Issue[] = []
  for (const list of listNames)
    for (const { value } of map[list]) {
      const other = seen.find((entry) => isDeepStrictEqual(entry.value, value))
      if (other)
        issues.push({
          path: `status.statusMap.${list}`,
          message: `${JSON.stringify(value)} stands in ${other.list} too`,
        })
      seen.push({ value, list })
    }
  if (map.successStatuses.length === 0)
    issues.push({
      path: 'status.statusMap.successStatuses',
      message: 'must have a value, or no update could ever succeed',
    })
  return issues
}
