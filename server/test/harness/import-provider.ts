import type { Platform } from './platform.ts'

/** A provider `files`, whose clients' messages are imported. */
export const makeImportProvider = ({ post, organizationId }: Platform) =>
  post('/v1/providers', { id: 'files', type: 'import', displayName: 'Files', organizationId })
