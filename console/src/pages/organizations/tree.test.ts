import { expect, test } from 'vitest'
import { listTree, type Organization } from './tree.ts'

const make = (id: string, parentOrganizationId: string | null) =>
  ({ id, parentOrganizationId, displayName: id.toUpperCase() }) as Organization
const all = [make('b2', 'b'), make('b', 'root'), make('root', null), make('a', 'root'), make('b1', 'b')]
const show = (organizations: Organization[], closed: string[] = []) =>
  listTree(organizations, new Set(closed)).map(
    ({ organization, depth, hasChildren, isOpen }) =>
      `${'-'.repeat(depth)}${organization.id}${hasChildren ? (isOpen ? ' open' : ' closed') : ''}`,
  )

test('lists organizations below each other, by name on each level', () => {
  expect(show(all)).toEqual(['root open', '-a', '-b open', '--b1', '--b2'])
})

test('hides what is below a closed one', () => {
  expect(show(all, ['b'])).toEqual(['root open', '-a', '-b closed'])
})

test('an organization whose parent the user may not see stands at the top', () => {
  expect(show(all.filter(({ id }) => id !== 'root'))).toEqual(['a', 'b open', '-b1', '-b2'])
  expect(show([])).toEqual([])
})
