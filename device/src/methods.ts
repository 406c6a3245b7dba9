import { DeviceError } from './device-error.ts'
import { encodeMessage } from './encode-message.ts'
import type { Invocation } from './invocation.ts'
import { parseInvocation } from './invocation.ts'
import type { Answer } from './recent-answers.ts'
import { createRecentAnswers } from './recent-answers.ts'
import type { Session } from './session.ts'
import type { Topics } from './topics.ts'
import { isTopicLevel } from './topics.ts'

export interface MethodAnswer {
  /** An integer as in HTTP. Default 200. */
  status?: number
  /** Any JSON. Default null. */
  payload?: unknown
}

/** An error becomes status 500 with its message. */
export type MethodHandler = (
  payload: unknown,
  invocation: Omit<Invocation, 'payload'>,
) => MethodAnswer | void | Promise<MethodAnswer | void>

export interface Methods {
  receive(method: string, payload: Buffer): void
  /** Throws if the name is taken or cannot be a topic level. Returns the function that removes the handler. */
  setHandler(name: string, handler: MethodHandler): () => void
  attach(session: Session): void
  detach(): void
}

/**
 * Runs invocations and answers them. Answers overtake buffered telemetry, since a caller waits for them. An answer that
 * was not acknowledged is sent again in the next session.
 */
export function createMethods(topics: Topics, onError: (error: DeviceError) => void): Methods {
  const handlers = new Map<string, MethodHandler>()
  const answers = createRecentAnswers()
  let session: Session | undefined

  const publish = (answer: Answer) => {
    if (!answer.payload) return
    answer.isAcknowledged = false
    session?.publish(answer.topic, answer.payload, () => (answer.isAcknowledged = true))
  }
  const run = async (method: string, invocation: Invocation, answer: Answer) => {
    const handler = handlers.get(method)
    const result = handler ? await callHandler(handler, method, invocation, onError) : unknownMethod(method)
    answers.finish(answer, encodeAnswer(answer.topic, result))
    publish(answer)
  }

  return {
    receive(method, payload) {
      const invocation = parseInvocation(payload)
      if (!invocation) {
        const message = `an invocation of ${method} has no usable correlationId and cannot be answered`
        return onError(new DeviceError('invalid_invocation', message))
      }
      const topic = topics.response(method, invocation.correlationId)
      const known = answers.find(topic)
      if (known) return publish(known)
      void run(method, invocation, answers.start(topic))
    },
    setHandler(name, handler) {
      if (!isTopicLevel(name))
        throw new TypeError(`a method name is a topic level, not ${JSON.stringify(name)}`)
      if (handlers.has(name)) throw new Error(`there is a handler of method ${name} already`)
      handlers.set(name, handler)
      return () => {
        if (handlers.get(name) === handler) handlers.delete(name)
      }
    },
    attach(opened) {
      session = opened
      for (const answer of answers.unacknowledged()) publish(answer)
    },
    detach() {
      session = undefined
    },
  }
}

async function callHandler(
  handler: MethodHandler,
  method: string,
  { payload, ...invocation }: Invocation,
  onError: (error: DeviceError) => void,
): Promise<MethodAnswer> {
  try {
    return (await handler(payload, invocation)) ?? {}
  } catch (error) {
    onError(new DeviceError('handler_failed', `the handler of method ${method} failed`, { cause: error }))
    return failed(error instanceof Error ? error.message : String(error))
  }
}

const failed = (message: string): MethodAnswer => ({
  status: 500,
  payload: { error: 'method_failed', message: message.slice(0, 1_000) },
})

const unknownMethod = (method: string): MethodAnswer => ({
  status: 404,
  payload: { error: 'method_not_found', message: `the device has no method ${method}` },
})

/** An answer that cannot be sent becomes a failure, so that the caller does not wait until its time limit. */
function encodeAnswer(topic: string, { status = 200, payload = null }: MethodAnswer): Buffer {
  try {
    if (!Number.isInteger(status)) throw new TypeError('the handler answered a status that is not an integer')
    return encodeMessage(topic, { status, payload })
  } catch (error) {
    return encodeMessage(topic, failed(error instanceof Error ? error.message : String(error)))
  }
}
