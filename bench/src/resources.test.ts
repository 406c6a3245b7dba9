import { expect, test } from 'vitest'
import { createResources } from './resources.ts'

function recorded(name: string, stopped: string[]): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => void stopped.push(name) }
}

test('resources are stopped in reverse order, also after one fails to stop', async () => {
  const stopped: string[] = []
  const resources = createResources()
  await resources.use(Promise.resolve(recorded('database', stopped)))
  await resources.use(Promise.resolve({ [Symbol.asyncDispose]: () => Promise.reject(new Error('stuck')) }))
  await resources.use(Promise.resolve(recorded('server', stopped)))
  await resources[Symbol.asyncDispose]()
  expect(stopped).toEqual(['server', 'database'])
})

test('a resource that is still starting when the case ends is stopped once it has started', async () => {
  const stopped: string[] = []
  const resources = createResources()
  let isUp = (_: AsyncDisposable) => {}
  const using = resources.use(new Promise<AsyncDisposable>((resolve) => (isUp = resolve)))
  await resources[Symbol.asyncDispose]()
  isUp(recorded('server', stopped))
  await expect(using).rejects.toThrow('the case is over')
  expect(stopped).toEqual(['server'])
})
