/** What has been started so far is stopped again, in reverse, when a later step fails. (Node 20 has no AsyncDisposableStack.) */
export interface CleanUp extends AsyncDisposable {
  use<T extends AsyncDisposable>(resource: T): T
  /** Everything succeeded: hands the resources over, to be disposed later. */
  keep(): AsyncDisposable
}

export function cleanUp(): CleanUp {
  let resources: AsyncDisposable[] = []
  return {
    use: (resource) => {
      resources.push(resource)
      return resource
    },
    keep: () => {
      const kept = resources
      resources = []
      return { [Symbol.asyncDispose]: () => disposeInReverse(kept) }
    },
    [Symbol.asyncDispose]: () => disposeInReverse(resources),
  }
}

/** All of them, even when one fails; then throws the first failure. */
async function disposeInReverse(resources: AsyncDisposable[]) {
  const errors: unknown[] = []
  for (const resource of resources.splice(0).toReversed()) {
    try {
      await resource[Symbol.asyncDispose]()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
