import type { World } from './world.ts'

/** The leader of the stream does it, then the others. It answers once one of them has. */
export function askServers({ servers }: Pick<World, 'servers'>, us: number, done: () => void): void {
  const [leader, ...followers] = servers
  let isDone = false
  leader!.run(us, () => {
    if (followers.length === 0) return done()
    for (const follower of followers)
      follower.run(us, () => {
        if (isDone) return
        isDone = true
        leader!.run(0, done)
      })
  })
}
