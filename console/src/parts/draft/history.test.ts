import { expect, test } from 'vitest'
import {
  changeDraft,
  keepFields,
  pickChanged,
  pickOvertaken,
  rebase,
  rebaseHistory,
  redoDraft,
  restoreOvertaken,
  startHistory,
  undoDraft,
} from './history.ts'

test('undo and redo go through the steps of a draft', () => {
  let history = startHistory({ name: 'a', count: 0 })
  history = changeDraft(history, { name: 'b' }, 0)
  history = changeDraft(history, { count: 1 }, 10)
  history = undoDraft(history)
  expect(history.present).toEqual({ name: 'b', count: 0 })
  history = undoDraft(history)
  expect(undoDraft(history)).toBe(history)
  expect(history.present).toEqual({ name: 'a', count: 0 })
  history = redoDraft(redoDraft(history))
  expect(history.present).toEqual({ name: 'b', count: 1 })
  expect(redoDraft(history)).toBe(history)
})

test('changes without a pause are one step, and a change clears the redo steps', () => {
  let history = startHistory({ name: '' })
  for (const [index, name] of ['p', 'pu', 'pum'].entries())
    history = changeDraft(history, { name }, index * 100)
  history = changeDraft(history, { name: 'pump' }, 5000)
  history = undoDraft(history)
  expect(history.present.name).toBe('pum')
  expect(undoDraft(history).present.name).toBe('')
  history = changeDraft(history, { name: 'fan' }, 9000)
  expect(redoDraft(history)).toBe(history)
})

test('no step is lost, however many there are', () => {
  let history = startHistory({ count: 0 })
  for (let count = 1; count <= 1000; count++) history = changeDraft(history, { count }, count * 1000)
  for (let step = 0; step < 1000; step++) history = undoDraft(history)
  expect(history.present).toEqual({ count: 0 })
  expect(undoDraft(history)).toBe(history)
})

test('a rebase changes all steps and is none itself', () => {
  let history = startHistory({ name: 'a', version: 1 })
  history = changeDraft(history, { name: 'b' }, 0)
  history = undoDraft(changeDraft(history, { name: 'c' }, 5000))
  history = rebaseHistory(history, (step) => ({ ...step, version: 2 }))
  expect(history.present).toEqual({ name: 'b', version: 2 })
  expect(undoDraft(history).present).toEqual({ name: 'a', version: 2 })
  expect(undoDraft(undoDraft(history))).toEqual(undoDraft(history))
  expect(redoDraft(history).present).toEqual({ name: 'c', version: 2 })
})

test('fields that nobody typed in follow what somebody else saved', () => {
  const former = { name: 'Hot', assets: ['a'] }
  const saved = { name: 'Hot', assets: ['a', 'b'] }
  expect(rebase(former, former, saved)).toEqual(saved)
  const typed = rebase({ ...former, name: 'Too hot' }, former, saved)
  expect(typed).toEqual({ name: 'Too hot', assets: ['a', 'b'] })
  expect(pickChanged(typed, saved)).toEqual({ name: 'Too hot' })
})

test('undo does not bring back what somebody else changed', () => {
  const former = { name: 'Hot', assets: ['a'] }
  const history = changeDraft(startHistory(former), { name: 'Too hot' }, 0)
  const next = rebaseHistory(history, (step) => rebase(step, former, { name: 'Hot', assets: ['a', 'b'] }))
  expect(undoDraft(next).present).toEqual({ name: 'Hot', assets: ['a', 'b'] })
})

test('what is typed while the values are sent stays, and the form that the server gave is taken over', () => {
  const sent = { name: ' Hot ', assets: ['a'] }
  const typed = { name: ' Hot ', assets: ['a', 'b'] }
  expect(rebase(typed, sent, { name: 'Hot', assets: ['a'] })).toEqual({ name: 'Hot', assets: ['a', 'b'] })
})

test('only fields that two people changed to different values are overtaken', () => {
  const former = { name: 'Hot', text: '', assets: ['a'], severity: 3 }
  const values = { name: 'Too hot', text: 'same', assets: ['a'], severity: 5 }
  const saved = { name: 'Very hot', text: 'same', assets: ['a', 'b'], severity: 3 }
  expect(pickOvertaken(values, former, saved)).toEqual({ name: 'Very hot' })
  expect(pickOvertaken(values, former, former)).toEqual({})
})

test('a draft that is kept over reloads says what somebody else has saved since its fields were changed', () => {
  const former = { name: 'Hot', text: '', severity: 3 }
  const values = { ...former, name: 'Too hot', severity: 5 }
  const kept = keepFields(values, former, {})
  expect(kept).toEqual({ values: { name: 'Too hot', severity: 5 }, former: { name: 'Hot', severity: 3 } })
  expect(restoreOvertaken(kept, former)).toEqual({})
  const saved = { name: 'Very hot', text: 'why', severity: 3 }
  const overtaken = restoreOvertaken(kept, saved)
  expect(overtaken).toEqual({ name: 'Hot' })
  const keptAgain = keepFields({ ...saved, ...kept.values }, saved, overtaken)
  expect(restoreOvertaken(keptAgain, saved)).toEqual({ name: 'Hot' })
  expect(restoreOvertaken(keptAgain, { ...saved, name: 'Hot' })).toEqual({})
  expect(restoreOvertaken({ values: kept.values }, saved)).toEqual({})
})
