import { useApi } from '../../api/ApiProvider.tsx'
import type { Finder } from '../../parts/pick/finder.ts'
import { type ListedType, listObjects, readObject } from './objects.ts'

const MOST = 50

/** Finds objects of a type by their names, for `PickOne` and `PickMany`. */
export function useObjectFinder(type: ListedType): Finder {
  const api = useApi()
  return {
    kind: type,
    find: async (search, signal) => (await listObjects(api, type, { search, limit: MOST, signal })).items,
    read: (id, signal) => readObject(api, { type, id }, signal),
  }
}
