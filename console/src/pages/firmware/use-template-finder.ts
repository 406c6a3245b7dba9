import { useApi } from '../../api/ApiProvider.tsx'
import type { Finder } from '../../parts/pick/finder.ts'

const MOST = 50
const route = '/v1/firmware/deployment-templates'

/** Finds deployment templates by their names, for `PickOne`. */
export function useTemplateFinder(): Finder {
  const api = useApi()
  return {
    kind: 'deployment-templates',
    find: async (search, signal) =>
      (await api.get(route, { query: { limit: MOST, search: search || undefined }, signal })).map(
        ({ templateId, displayName }) => ({ id: templateId, name: displayName }),
      ),
    read: async (deploymentTemplateId, signal) => {
      const path = { deploymentTemplateId }
      const { displayName } = await api.get(`${route}/{deploymentTemplateId}`, { path, signal })
      return { id: deploymentTemplateId, name: displayName }
    },
  }
}
