import Type from 'typebox'

export const AssetProperties = Type.Object(
  { $version: Type.Integer({ description: 'Grows with each change' }) },
  { additionalProperties: true, title: 'AssetProperties' },
)
