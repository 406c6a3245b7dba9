/** Finds releases, templates, models, tree nodes and providers by their names, for `PickOne` and `PickMany`. */
import { useApi } from '../../api/ApiProvider.tsx'

const MOST = 50
const listQuery = (search: string) => ({ limit: MOST, search: search || undefined })

interface Displayed {
  id: string
  displayName: string
}
const toNamed = ({ id, displayName }: Displayed) => ({ id, name: displayName })

export function useReleaseFinder() {
  const api = useApi()
  return {
    kind: 'releases',
    find: async (search: string, signal: AbortSignal) =>
      (await api.get('/v1/firmware/releases', { query: listQuery(search), signal })).map(toNamed),
    read: async (releaseId: string, signal: AbortSignal) =>
      toNamed(await api.get('/v1/firmware/releases/{releaseId}', { path: { releaseId }, signal })),
  }
}

export function useTemplateFinder() {
  const api = useApi()
  const route = '/v1/firmware/deployment-templates'
  return {
    kind: 'deployment-templates',
    find: async (search: string, signal: AbortSignal) =>
      (await api.get(route, { query: listQuery(search), signal })).map(({ templateId, displayName }) => ({
        id: templateId,
        name: displayName,
      })),
    read: async (deploymentTemplateId: string, signal: AbortSignal) => {
      const path = { deploymentTemplateId }
      const { displayName } = await api.get(`${route}/{deploymentTemplateId}`, { path, signal })
      return { id: deploymentTemplateId, name: displayName }
    },
  }
}

export function useModelFinder() {
  const api = useApi()
  return {
    kind: 'models',
    find: async (search: string, signal: AbortSignal) =>
      (await api.get('/v1/models', { query: listQuery(search), signal })).map(toNamed),
    read: async (modelId: string, signal: AbortSignal) =>
      toNamed(await api.get('/v1/models/{modelId}', { path: { modelId }, signal })),
  }
}

export function useNodeFinder() {
  const api = useApi()
  return {
    kind: 'nodes',
    find: async (search: string, signal: AbortSignal) =>
      (await api.get('/v1/tree/nodes', { query: listQuery(search), signal })).map(toNamed),
    read: async (nodeId: string, signal: AbortSignal) =>
      toNamed(await api.get('/v1/tree/nodes/{nodeId}', { path: { nodeId }, signal })),
  }
}
