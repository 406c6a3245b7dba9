/** Disposes the resources of a start in reverse order if a later step fails. (Node 20 has no AsyncDisposableStack.) */
export interface CleanUp extends AsyncDisposable {
  use<T extends AsyncDisposable>(resource: T): T
  /** Passes the resources to the caller, to dispose them later. */
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

/** Disposes all of them even if one fails; then throws the first error. */
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
