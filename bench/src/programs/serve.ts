/** The other end of `child.ts`: answers calls until the benchmark process is gone. */

// oxlint-disable-next-line typescript/no-explicit-any -- handlers take what they declare
export type Handlers = Record<string, (...args: any[]) => Promise<unknown>>

export interface Call {
  id: number
  method: string
  args: unknown[]
}

export interface Answer {
  id: number
  result?: unknown
  error?: string
}

export function serve(handlers: Handlers): void {
  process.on('message', async ({ id, method, args }: Call) => {
    const answer: Answer = { id }
    try {
      answer.result = await handlers[method]!(...args)
    } catch (error) {
      answer.error = (error as Error).message
    }
    if (process.connected) process.send!(answer)
  })
  process.on('disconnect', () => process.exit())
}

/** Ctrl+C in the terminal is for the bench, which stops its programs in order. */
export const ignoreInterrupt = () => void process.on('SIGINT', () => {})
