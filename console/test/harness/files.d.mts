import type { Api } from './fixtures.mjs'

export const pixel: Buffer
export function makeFiles(api: Api): Promise<{
  logo: string
  manual: string
  documents: string[]
  themes: string[]
  upload: (
    displayName: string,
    content: Buffer | string,
    options?: { type?: string; tags?: Record<string, string> },
  ) => Promise<string>
}>
