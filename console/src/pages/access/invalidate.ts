import type { QueryClient } from '@tanstack/react-query'

/** Reads again what a change of relations may have changed: relations, permissions, privileges and explanations. */
export function invalidateAccess(cache: QueryClient): void {
  for (const first of ['relations', 'permitted', 'explain', 'privileges', 'organization'])
    void cache.invalidateQueries({ queryKey: [first] })
}
