import { draw } from './random.ts'
import type { World } from './world.ts'

interface Commit {
  backend: number
  messages: number
  /** Batches of the stream in it. */
  batches?: number
}

/** A commit: the work of PostgreSQL, and the wait for its disk. */
export function commit(
  { load, machine, backends, random, commits }: World,
  { backend, messages, batches = 0 }: Commit,
  done: () => void,
): void {
  commits.count++
  commits.messages += messages
  const { message, batch, commit: perCommit } = load.costs.database
  backends[backend]!.run(perCommit + batch * batches + message * messages, () =>
    machine.after(draw(load.commit, random), done),
  )
}
