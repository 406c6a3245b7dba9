import { expect, test } from 'vitest'
import { createResources } from './resources.ts'

function recorded(name: string, stopped: string[]): AsyncDisposable {
  return { [Symbol.asyncDispose]: async () => void stopped.push(name) }
}

test('what was started last is stopped first, and one that fails does not keep the others', async () => {
  const stopped: string[] = []
  const resources = createResources()
  await resources.use(Promise.resolve(recorded('database', stopped)))
  await resources.use(Promise.resolve({ [Symbol.asyncDispose]: () => Promise.reject(new Error('stuck')) }))
  await resources.use(Promise.resolve(recorded('server', stopped)))
  await resources[Symbol.asyncDispose]()
  expect(stopped).toEqual(['server', 'database'])
})

test('what was still starting when the case ended is stopped as soon as it is there', async () => {
  const stopped: string[] = []
  const resources = createResources()
  let isUp = (_: AsyncDisposable) => {}
  const using = resources.use(new Promise<AsyncDisposable>((resolve) => (isUp = resolve)))
  await resources[Symbol.asyncDispose]()
  isUp(recorded('server', stopped))
  await expect(using).rejects.toThrow('the case is over')
  expect(stopped).toEqual(['server'])
})
