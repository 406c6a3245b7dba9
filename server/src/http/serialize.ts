/** Compiles the serializer of a route at its first answer: compiling all of them took half of the start-up time. */
import type { FastifySerializerCompiler } from 'fastify'
import fastJsonStringify from 'fast-json-stringify'

type Serialize = (value: unknown) => string

const serializers = new WeakMap<object, Serialize>()

/** Routes with the same schema share one serializer. */
export const compileSerializerLater: FastifySerializerCompiler<object> =
  ({ schema }) =>
  (value: unknown) => {
    let serialize = serializers.get(schema)
    if (!serialize) {
      serialize = fastJsonStringify(schema) as Serialize
      serializers.set(schema, serialize)
    }
    return serialize(value)
  }
