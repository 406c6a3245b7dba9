import Type, { type Static } from 'typebox'
import { FreeObject, Nullable, shownAs, Timestamp } from '../../http/shapes.ts'
import { optionSchemas, ParserSpec } from '../parsers/parsers.ts'

export const TryParser = Type.Object({
  parser: ParserSpec.properties.name,
  options: Type.Optional(shownAs(FreeObject, Type.Union(Object.values(optionSchemas)))),
  payload: Type.String({ description: 'As a device would send it, at most 1 MiB' }),
  encoding: Type.Optional(
    Type.Union([Type.Literal('utf8'), Type.Literal('base64')], {
      description: 'Encoding of `payload`; utf8 if absent',
    }),
  ),
})
/** A parser without a payload, for one that is stored. */
export const TryOtherParser = Type.Pick(TryParser, ['parser', 'options'])

export type TryParser = Static<typeof TryParser>

export const TriedParser = Type.Object(
  {
    samples: Type.Array(
      Type.Object({
        name: Type.String(),
        value: Type.Unsafe<unknown>(Type.Any()),
        timestamp: { ...Timestamp, description: 'The present time, if the payload has none' },
        unit: { ...Nullable(Type.String()), description: 'As in the payload; it is not stored' },
      }),
    ),
    deadLetter: Nullable(
      Type.Object({
        reason: Type.String({ description: 'A stable code, such as not_json' }),
        message: Type.String({ description: 'What the device has to change' }),
      }),
    ),
  },
  { title: 'TriedParser' },
)
