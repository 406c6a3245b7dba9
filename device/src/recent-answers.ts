/** An invocation and, when it has run, its answer. */
export interface Answer {
  /** Topic of the answer; it contains method and correlation id and so identifies the invocation. */
  topic: string
  /** Absent while the handler runs. */
  payload?: Buffer
  isAcknowledged: boolean
}

/** Caches answers, so that a repeated invocation is answered without running again. Bounded; running invocations are never dropped. */
export interface RecentAnswers {
  find(topic: string): Answer | undefined
  /** Call `finish` when the payload is known. */
  start(topic: string): Answer
  finish(answer: Answer, payload: Buffer): void
  unacknowledged(): Answer[]
}

const MAX_ANSWERS = 256
const MAX_BYTES = 4 * 1024 * 1024

export function createRecentAnswers(): RecentAnswers {
  const answers = new Map<string, Answer>()
  const finished: Answer[] = []
  let bytes = 0

  const isFull = () => finished.length > 1 && (finished.length > MAX_ANSWERS || bytes > MAX_BYTES)
  const forgetOldest = () => {
    const oldest = finished.shift()
    if (!oldest) return
    bytes -= oldest.payload?.length ?? 0
    answers.delete(oldest.topic)
  }

  return {
    find: (topic) => answers.get(topic),
    start(topic) {
      const answer: Answer = { topic, isAcknowledged: false }
      answers.set(topic, answer)
      return answer
    },
    finish(answer, payload) {
      answer.payload = payload
      finished.push(answer)
      bytes += payload.length
      while (isFull()) forgetOldest()
    },
    unacknowledged: () => finished.filter((answer) => !answer.isAcknowledged),
  }
}
