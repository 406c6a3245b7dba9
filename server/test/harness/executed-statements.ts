/** Records the statements that this process sends to PostgreSQL. */
import pg from 'pg'

export interface Recorder extends Disposable {
  /** Texts with `$1` and so on, each once. */
  texts: Set<string>
  count: number
}

export function recordStatements(): Recorder {
  const recorder = { texts: new Set<string>(), count: 0 }
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { text?: string } | undefined]
    const text = typeof statement === 'string' ? statement : statement?.text
    recorder.count++
    if (text) recorder.texts.add(text)
    return Reflect.apply(query, this, args)
  } as typeof query
  return Object.assign(recorder, {
    [Symbol.dispose]: () => {
      pg.Client.prototype.query = query
    },
  })
}
