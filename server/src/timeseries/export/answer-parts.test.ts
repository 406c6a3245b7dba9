/** Answers of few parts are texts, those of many are streams. */
import { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { FastifyReply } from 'fastify'
import { expect, test } from 'vitest'
import { answerParts } from './answer-parts.ts'

const reply = { raw: Object.assign(new EventEmitter(), { setTimeout: () => {}, destroy: () => {} }) }

interface Answered {
  answer: string | Readable
  /** How often the reading was ended by now. */
  ends: () => number
  /** Parts that were read by now. */
  read: () => number
}

async function answer(parts: (string | Buffer | Error)[]): Promise<Answered> {
  let [ends, read] = [0, 0]
  async function* generate() {
    for (const part of parts) {
      read++
      if (part instanceof Error) throw part
      yield part
    }
  }
  const end = () => void ends++
  try {
    const answered = await answerParts(generate(), end, reply as unknown as FastifyReply)
    return { answer: answered, ends: () => ends, read: () => read }
  } catch (error) {
    expect(ends).toBe(1)
    throw error
  }
}

test('a short answer is one text, for which nothing is left to read', async () => {
  const short = await answer(['{', '"items":[]', '}'])
  expect([short.answer, short.ends()]).toEqual(['{"items":[]}', 1])
  expect((await answer([])).answer).toBe('')
})

test('a long answer is read while it is sent', async () => {
  const long = 'x'.repeat(100_000)
  const { answer: stream, ends, read } = await answer(['{', long, long, '}'])
  expect([read(), ends()]).toEqual([2, 0])
  expect(await text(stream as Readable)).toBe(`{${long}${long}}`)
  expect(ends()).toBe(1)
  const bytes = await answer([Buffer.from('a'), Buffer.from('b')])
  expect(await text(bytes.answer as Readable)).toBe('ab')
})

test('what fails before anything is sent fails as a whole', async () => {
  const failure = new Error('no more')
  await expect(answer(['{', failure])).rejects.toBe(failure)
})
