import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { keepWhileFetching } from './keep-while-fetching.ts'

const queryKey = ['list']

/** A query whose answers come by hand; applied events are added to its data. */
function setUp() {
  const cache = new QueryClient()
  let settle: { resolve: (answer: string[]) => void; reject: (error: Error) => void }
  const fetch = () =>
    cache.fetchQuery({
      queryKey,
      retry: false,
      queryFn: () => new Promise<string[]>((resolve, reject) => (settle = { resolve, reject })),
    })
  const kept = keepWhileFetching<string>(
    cache,
    () => queryKey,
    (events) => cache.setQueryData<string[]>(queryKey, (present = []) => [...present, ...events]),
  )
  const push = (event: string) => {
    kept.record(event)
    cache.setQueryData<string[]>(queryKey, (present) => present && [...present, event])
  }
  return {
    cache,
    fetch,
    push,
    answer: (...items: string[]) => settle.resolve(items),
    fail: () => settle.reject(new Error('No answer.')),
  }
}

test('what is pushed between a question and its answer is in the list, at the first load and at a repetition', async () => {
  const { cache, fetch, push, answer } = setUp()
  const first = fetch()
  push('a')
  answer('old')
  await first
  expect(cache.getQueryData(queryKey)).toEqual(['old', 'a'])
  push('b')
  const second = fetch()
  push('c')
  expect(cache.getQueryData(queryKey)).toEqual(['old', 'a', 'b', 'c'])
  answer('old', 'a', 'b')
  await second
  expect(cache.getQueryData(queryKey)).toEqual(['old', 'a', 'b', 'c'])
})

test('after a failed reading nothing is applied to the next answer', async () => {
  const { cache, fetch, push, answer, fail } = setUp()
  const first = fetch()
  push('a')
  fail()
  await expect(first).rejects.toThrow('No answer.')
  const second = fetch()
  answer('new')
  await second
  expect(cache.getQueryData(queryKey)).toEqual(['new'])
})
