import type { Api } from './fixtures.mjs'

export const pumpModel: string
export const pumpDefinition: Record<string, unknown> & { contents: Record<string, unknown>[] }
export function makeModels(api: Api): Promise<{ organizationId: string }>
