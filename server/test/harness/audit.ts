import type { Platform } from './platform.ts'

/** The actions of the audit log on an object of tenant `default`, newest first. */
export async function listAuditActions(platform: Platform, resourceId: string): Promise<string[]> {
  const { body } = await platform.get(`/v1/audit-log?resourceId=${encodeURIComponent(resourceId)}`)
  return body.map(({ action }: { action: string }) => action)
}
