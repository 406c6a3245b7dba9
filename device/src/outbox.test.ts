import { expect, test } from 'vitest'
import { createOutbox } from './outbox.ts'
import type { Session } from './session.ts'

/** A session whose acknowledgements the test sends. */
function openSession() {
  const acks: (() => void)[] = []
  const sent: string[] = []
  const session: Session = {
    publish(_topic, payload, onAck) {
      sent.push(payload.toString())
      acks.push(onAck)
    },
    closed: new Promise(() => undefined),
    end: () => Promise.resolve(),
  }
  return { session, sent, ack: (index: number) => acks[index]?.() }
}

const open = (maxMessages = 1_000) => {
  const dropped: [number, string][] = []
  const limits = { maxMessages, maxBytes: 10_000_000 }
  const outbox = createOutbox({ limits, onDropped: (count, reason) => dropped.push([count, reason]) })
  return { outbox, dropped, send: (text: string | Buffer) => outbox.send('t', Buffer.from(text)) }
}

test('messages that a session leaves unacknowledged are sent first in the next one, in order', async () => {
  const { outbox, send } = open()
  const first = openSession()
  outbox.attach(first.session)
  const promises = ['1', '2', '3'].map(send)
  first.ack(1)
  await promises[1]
  outbox.detach()
  promises.push(send('4'))
  first.ack(0) // this session has ended, so its acknowledgement is ignored

  const second = openSession()
  outbox.attach(second.session)
  expect(second.sent).toEqual(['1', '3', '4'])
  for (const index of [0, 1, 2]) second.ack(index)
  await Promise.all(promises)
  expect(outbox.size).toBe(0)
})

test('at most 64 messages or 256 KiB are in flight, and each acknowledgement lets the next one follow', () => {
  const { outbox, send } = open()
  const { session, sent, ack } = openSession()
  outbox.attach(session)
  for (let index = 0; index < 70; index++) void send(String(index))
  expect(sent).toHaveLength(64)
  ack(0)
  expect(sent).toHaveLength(65)

  const large = open()
  const thin = openSession()
  large.outbox.attach(thin.session)
  for (let index = 0; index < 3; index++) void large.send(Buffer.alloc(200_000))
  expect(thin.sent).toHaveLength(1)
  thin.ack(0)
  expect(thin.sent).toHaveLength(2)
})

test('drained waits for the last acknowledgement', async () => {
  const { outbox, send } = open()
  await outbox.drained()
  const { session, ack } = openSession()
  outbox.attach(session)
  void send('1')
  let isDrained = false
  const drained = outbox.drained().then(() => (isDrained = true))
  await Promise.resolve()
  expect(isDrained).toBe(false)
  ack(0)
  await drained
})

test('messages discarded at the end are rejected and counted, and no more are accepted', async () => {
  const { outbox, dropped, send } = open()
  const { session } = openSession()
  outbox.attach(session)
  const left = [send('1'), send('2')]
  outbox.refuse()
  await expect(send('3')).rejects.toMatchObject({ code: 'closed' })
  outbox.discard()
  for (const promise of left) await expect(promise).rejects.toMatchObject({ code: 'closed' })
  expect(dropped).toEqual([[2, 'closed']])
})
