/** An invocation and, once it has run, what was answered. */
export interface Answer {
  /** Where the answer goes; it holds method and correlation id, so it names the invocation as well. */
  topic: string
  /** Absent while the handler runs. */
  payload?: Buffer
  isAcknowledged: boolean
}

/** Remembers invocations so that a repeat is answered and not run again. Bounded; running ones are never forgotten. */
export interface RecentAnswers {
  find(topic: string): Answer | undefined
  /** Call `finish` on it when the payload is there. */
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
