import Type, { type Static } from 'typebox'
import { type Issue, validationError } from '../../http/errors.ts'
import { Description, DisplayName, Nullable, Uuid } from '../../http/shapes.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
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
/** The status map is read with each report of a client that is being updated. */
const MAX_STATUS_BYTES = 16 * 1024
/** The maximum number of issues in a refusal, and the length of a value in one. */
const MAX_ISSUES = 20
const MAX_SHOWN = 100

/** Checks the rules that the schema cannot express. @throws validation_error */
export function checkTemplate({ steps, status }: CreateDeploymentTemplate): void {
  const issues = [
    ...findSizeIssues('steps', steps, MAX_STEPS_BYTES),
    ...findSizeIssues('status.statusMap', status.statusMap, MAX_STATUS_BYTES),
    ...findStepIssues(steps),
    ...findStatusIssues(status.statusMap),
  ]
  if (issues.length > 0) throw validationError(...issues.slice(0, MAX_ISSUES))
}

const findSizeIssues = (path: string, value: unknown, maxBytes: number): Issue[] =>
  Buffer.byteLength(JSON.stringify(value)) > maxBytes
    ? [{ path, message: `must not exceed ${maxBytes} bytes` }]
    : []

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
  const seen = new Map<string, string>()
  const issues: Issue[] = []
  for (const list of statusLists)
    for (const { value } of map[list]) {
      const text = canonicalJson(value)
      const other = seen.get(text)
      if (other === undefined) seen.set(text, list)
      else
        issues.push({
          path: `status.statusMap.${list}`,
          message: `has ${text.slice(0, MAX_SHOWN).toWellFormed()}, which is also in ${other}`,
        })
    }
  if (map.successStatuses.length === 0)
    issues.push({
      path: 'status.statusMap.successStatuses',
      message: 'must not be empty, because no update could succeed',
    })
  return issues
}
