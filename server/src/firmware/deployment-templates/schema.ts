import { isDeepStrictEqual } from 'node:util'
import Type, { type Static } from 'typebox'
import { type Issue, validationError } from '../../http/errors.ts'
import { Description, DisplayName, Nullable, Uuid } from '../../http/shapes.ts'
import { findPlaceholderIssues } from './placeholders.ts'
import type { DeploymentTemplateRow } from '../../database/tables/firmware.ts'

/** The name of a desired property. Names with `$` are reserved. */
const PropertyName = Type.String({ pattern: '^[^$]', minLength: 1, maxLength: 256 })

const Step = Type.Object({
  name: PropertyName,
  displayName: Type.Optional(Type.String({ maxLength: 256 })),
  type: Type.Literal('SetProperty'),
  value: Type.Unknown(),
})
const Values = Type.Array(Type.Object({ value: Type.Unknown() }), { maxItems: 100 })
const statusLists = ['successStatuses', 'failureStatuses', 'rejectStatuses', 'cancelStatuses'] as const
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

/** The steps are part of the desired state, whose size is limited. */
const MAX_STEPS_BYTES = 64 * 1024

/** Checks the rules that the schema cannot express. @throws validation_error */
export function checkTemplate({ steps, status }: CreateDeploymentTemplate): void {
  const issues = [...findStepIssues(steps), ...findStatusIssues(status.statusMap)]
  if (Buffer.byteLength(JSON.stringify(steps)) > MAX_STEPS_BYTES)
    issues.push({ path: 'steps', message: `must not exceed ${MAX_STEPS_BYTES} bytes` })
  if (issues.length > 0) throw validationError(...issues)
}

function findStepIssues(steps: CreateDeploymentTemplate['steps']): Issue[] {
  return steps.flatMap(({ name, value }, index) => [
    ...(steps.findIndex((step) => step.name === name) < index
      ? [{ path: `steps.${index}.name`, message: `${name} is already the name of an earlier step` }]
      : []),
    ...(value === null ? [{ path: `steps.${index}.value`, message: 'must not be null' }] : []),
    ...findPlaceholderIssues(value, `steps.${index}.value`),
  ])
}

/** A value in two lists would be ambiguous. */
function findStatusIssues(map: CreateDeploymentTemplate['status']['statusMap']): Issue[] {
  const seen: { value: unknown; list: string }[] = []
  const issues: Issue[] = []
  for (const list of statusLists)
    for (const { value } of map[list]) {
      const other = seen.find((entry) => isDeepStrictEqual(entry.value, value))
      if (other)
        issues.push({
          path: `status.statusMap.${list}`,
          message: `has ${JSON.stringify(value)}, which is also in ${other.list}`,
        })
      seen.push({ value, list })
    }
  if (map.successStatuses.length === 0)
    issues.push({
      path: 'status.statusMap.successStatuses',
      message: 'must not be empty, because no update could succeed',
    })
  return issues
}
