import Type from 'typebox'

export const noOptions = Type.Object({}, { additionalProperties: false })
