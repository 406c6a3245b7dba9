/** Stops the resources of a case in reverse order, also those that were still starting when the case was aborted. */
export interface Resources extends AsyncDisposable {
  /** @throws if the case is over; the resource is then stopped */
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

/** A resource that cannot be stopped must not prevent stopping the others. */
async function stop(resource: AsyncDisposable) {
  try {
    await resource[Symbol.asyncDispose]()
  } catch (error) {
    console.error(`  cannot clean up: ${(error as Error).message}`)
  }
}
