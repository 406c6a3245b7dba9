/** Dashboards as files of JSON. */
import { download } from '../../parts/download.ts'
import type { Data } from './board/board.ts'
import type { Dashboard } from './use-dashboard.ts'

interface Exported {
  displayName?: string
  description?: string
  data: Data
}

export function exportDashboard({ displayName, description }: Dashboard, data: Data) {
  const name = displayName.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)
  const text = JSON.stringify({ displayName, description, data }, null, 2)
  download([text], `${name || 'dashboard'}.json`, 'application/json')
}

/** Reads an exported dashboard, or its data alone; null if it is neither. */
export function readImport(text: string): Exported | null {
  try {
    const read: unknown = JSON.parse(text)
    if (!isObject(read)) return null
    if (!isObject(read.data)) return 'widgets' in read ? { data: read } : null
    const { data, displayName, description } = read
    return {
      data: data as Data,
      ...(typeof displayName === 'string' && { displayName }),
      ...(typeof description === 'string' && { description }),
    }
  } catch {
    return null
  }
}

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
