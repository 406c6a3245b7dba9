import Type, { type Static } from 'typebox'
import { EndpointBinding } from '../../assets/bindings/schema.ts'
import { Nullable, Timestamp } from '../../http/shapes.ts'

const Value = Type.Unsafe<unknown>(Type.Any())

export const PreviewBinding = Type.Object({
  binding: { ...EndpointBinding, description: 'The binding as it would be made' },
  values: Type.Optional(
    Type.Unsafe<Record<string, unknown>>(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'Values to use in place of the last ones, by the names of the remotes',
        },
      ),
    ),
  ),
  outgoingValue: Type.Optional({
    ...Value,
    description: 'A desired value of the property or a payload of the command, for `inverseTransform`',
  }),
})
export type PreviewBinding = Static<typeof PreviewBinding>

/** [docs/assets#preview] */
export const outcomes = ['stored', 'no_value', 'missing_value', 'failed'] as const

const OutgoingPreview = Type.Object({
  values: Type.Array(
    Type.Object({
      name: Type.String({ description: 'Name of the remote' }),
      endpointId: Type.String(),
      value: { ...Value, description: 'The value that the remote would get' },
    }),
    { description: 'The value of each remote that would get one' },
  ),
  message: Nullable(Type.String({ description: 'Why nothing would be sent' })),
})

export const BindingPreview = Type.Object(
  {
    values: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the remote' }),
        endpointId: Type.String(),
        value: { ...Value, description: 'The value that was used; null if none is known' },
        time: {
          ...Nullable(Timestamp),
          description: 'Time of the value; null for one of the request and where none is known',
        },
      }),
      { description: 'The value of each remote' },
    ),
    outcome: Type.Enum([...outcomes], { description: 'What ingest would do with these values' }),
    result: {
      ...Value,
      description: 'The value that would be stored under the asset; null if none would be',
    },
    message: Nullable(Type.String({ description: 'Why nothing would be stored' })),
    steps: Type.Integer({ description: 'Steps of work that the binding takes, of those of one message' }),
    outgoing: {
      ...Nullable(OutgoingPreview),
      description: 'What would be sent for `outgoingValue`; null without one',
    },
  },
  { title: 'BindingPreview' },
)
