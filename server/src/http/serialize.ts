/** Serializers of answers, compiled at the first answer: compiling all of them took half of the time of a start. */
import type { FastifySerializerCompiler } from 'fastify'
import fastJsonStringify from 'fast-json-stringify'

type Serialize = (value: unknown) => string

const serializers = new WeakMap<object, Serialize>()

/** Routes with the same schema share one serializer, such as those that answer with and without `/v1`. */
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
