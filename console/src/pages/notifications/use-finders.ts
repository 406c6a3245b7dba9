/** Finds rules, contact groups, users and groups of users by their names, for `PickMany`. */
import { useApi } from '../../api/ApiProvider.tsx'

const MOST = 50

interface Displayed {
  id: string
  displayName: string
}
const toNamed = ({ id, displayName }: Displayed) => ({ id, name: displayName })

export function useRuleFinder() {
  const api = useApi()
  return {
    kind: 'rules',
    find: async (search: string, signal: AbortSignal) =>
      (await api.get('/v1/alarms', { query: listQuery(search), signal })).map(({ id, name }) => ({
        id,
        name,
      })),
    read: (id: string, signal: AbortSignal) =>
      api.get('/v1/alarms/{alarmId}', { path: { alarmId: id }, signal }),
  }
}

export function useContactGroupFinder() {
  const api = useApi()
  return {
    kind: 'contact-groups',
    find: async (search: string, signal: AbortSignal) =>
      (await api.get('/v1/contactgroups', { query: listQuery(search), signal })).map(toNamed),
    read: async (id: string, signal: AbortSignal) =>
      toNamed(await api.get('/v1/contactgroups/{contactGroupId}', { path: { contactGroupId: id }, signal })),
  }
}

export function useUserFinder() {
  const api = useApi()
  return {
    kind: 'users',
    find: async (search: string, signal: AbortSignal) =>
      (await api.get('/v1/users', { query: listQuery(search), signal })).map(toNamed),
    read: async (id: string, signal: AbortSignal) =>
      toNamed(await api.get('/v1/users/{userId}', { path: { userId: id }, signal })),
  }
}

export function useGroupFinder() {
  const api = useApi()
  return {
    kind: 'groups',
    find: async (search: string, signal: AbortSignal) =>
      (await api.get('/v1/groups', { query: listQuery(search), signal })).map(toNamed),
    read: async (id: string, signal: AbortSignal) =>
      toNamed(await api.get('/v1/groups/{groupId}', { path: { groupId: id }, signal })),
  }
}

const listQuery = (search: string) => ({ limit: MOST, search: search || undefined })
