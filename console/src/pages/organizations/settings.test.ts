import { expect, test } from 'vitest'
import { readSettings, writeChanges } from './settings.ts'

const initial = readSettings({
  displayName: 'North',
  description: null,
  privileges: ['data_view'],
  contacts: { notifications: { users: ['u1'], userGroups: ['g1'] } },
})

test('a save of the name sends neither privileges nor contacts', () => {
  expect(writeChanges({ ...initial, displayName: ' South ' }, initial)).toEqual({ displayName: 'South' })
})

test('of the contacts, only the changed list is sent', () => {
  expect(writeChanges({ ...initial, users: [] }, initial)).toEqual({
    contacts: { notifications: { users: [] } },
  })
})

test('what is emptied and taken away is sent', () => {
  const before = { ...initial, description: 'Old' }
  expect(writeChanges({ ...before, description: ' ', privileges: [] }, before)).toEqual({
    description: null,
    privileges: [],
  })
})
