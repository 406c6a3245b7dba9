import { draw } from './random.ts'
import type { StoringNode, World } from './world.ts'

interface Commit {
  /** The processor time that the commit takes of the node: microseconds. */
  us: number
  backend: number
  messages: number
  /** How often the process waits for an answer of PostgreSQL; the last one is that to COMMIT. */
  trips: number
}

/** A commit: the trips between the process and PostgreSQL, and the wait for its disk. */
export function commit(
  world: World,
  { thread, backends, us, backend, messages, trips }: Commit & StoringNode,
  done: () => void,
): void {
  const { load, machine, random, commits } = world
  commits.count++
  commits.messages += messages
  const { message, commit: perCommit } = load.costs.database
  const trip = (left: number) =>
    thread.run(us / trips, () =>
      // The rows are written by one of the statements before COMMIT.
      backends[backend]!.run(perCommit / trips + (left === 2 ? message * messages : 0), () => {
        if (left > 1) trip(left - 1)
        else machine.after(draw(load.disk, random), done)
      }),
    )
  trip(trips)
}
