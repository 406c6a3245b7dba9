import type { Schemas } from '@gangway/client'

export type Entry = Schemas['AuditRecord']
