/** What a case has started is stopped in reverse, also what was still starting when the case was cut short. */
export interface Resources extends AsyncDisposable {
  /** @throws when the case is over; the resource is stopped then */
  use<T extends AsyncDisposable>(starting: Promise<T>): Promise<T>
}

export function createResources(): Resources {
  const started: AsyncDisposable[] = []
  let isOver = false
  return {
    async use(starting) {
      const resource = await starting
      if (isOver) {
        await resource[Symbol.asyncDispose]()
        throw new Error('the case is over')
      }
      started.push(resource)
      return resource
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      for (const resource of started.toReversed()) await stop(resource)
    },
  }
}

/** One that cannot be stopped must not keep the others. */
async function stop(resource: AsyncDisposable) {
  try {
    await resource[Symbol.asyncDispose]()
  } catch (error) {
    console.error(`  cannot clean up: ${(error as Error).message}`)
  }
}
