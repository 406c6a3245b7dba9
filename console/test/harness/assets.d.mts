import type { Api } from './fixtures.mjs'

export function makeAssets(
  api: Api,
  options?: { device?: string },
): Promise<{ plant: string; halls: [string, string]; organizationId: string }>
export function makeNode(api: Api, displayName: string, parentNodeId?: string | null): Promise<string>
export function makeAsset(api: Api, id: string, displayName: string, nodeId?: string): Promise<void>
export function sendHistory(api: Api, clientId?: string): Promise<void>
