import type { Api } from './fixtures.mjs'

export const consolePump: string
export function above(signal: string, limit: number): string
export function makeAlarms(api: Api): Promise<{ hot: string; alarmStatusId: string; organizationId: string }>
