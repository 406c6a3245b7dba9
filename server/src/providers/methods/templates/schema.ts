import Type, { type Static } from 'typebox'
import { Description, DisplayName, Nullable, Uuid } from '../../../http/shapes.ts'
import { ComponentId, MethodName, Payload, TimeoutSeconds } from '../invocation.ts'
import type { MethodTemplateRow } from '../../../database/tables/methods.ts'

const invocation = {
  componentId: Type.Optional(ComponentId),
  payload: Type.Optional(Payload),
  timeoutSeconds: Type.Optional(Nullable(TimeoutSeconds)),
}

export const CreateMethodTemplate = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  method: MethodName,
  ...invocation,
  organizationId: Uuid,
})
export type CreateMethodTemplate = Static<typeof CreateMethodTemplate>

/** Absent fields keep their values. */
export const PutMethodTemplate = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  method: Type.Optional(MethodName),
  ...invocation,
})
export type PutMethodTemplate = Static<typeof PutMethodTemplate>

export const MethodTemplateRecord = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    description: Description,
    method: Type.String(),
    componentId: ComponentId,
    payload: Payload,
    timeoutSeconds: Nullable(Type.Integer()),
    organizationId: Uuid,
  },
  { title: 'MethodTemplate' },
)

export const MethodTemplatePath = Type.Object({ methodTemplateId: Uuid })

export const methodTemplateShape = (row: MethodTemplateRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  method: row.method,
  componentId: row.component_id,
  payload: row.payload,
  timeoutSeconds: row.timeout_seconds,
  organizationId: row.organization_id,
})
