import type { Schemas } from '@gangway/client'
import type { StateKind } from '../../parts/StateMark.tsx'
import { choice, number, text, type UrlState } from '../../url-state.ts'

export type Status = Schemas['AlarmStatus']

export const openStates = ['active_unacknowledged', 'active_acknowledged', 'inactive_unacknowledged'] as const

/** The filters of the list, which stand in the address. */
export const fields = {
  show: choice(['open', 'history']),
  severity: number(0, { min: 0, max: 5 }),
  state: choice(['', ...openStates]),
  rule: text(),
  asset: text(),
  node: text(),
}
export type AlarmFilters = UrlState<typeof fields>

export const marks: Record<Status['state'], StateKind> = {
  active_unacknowledged: 'bad',
  active_acknowledged: 'warning',
  inactive_unacknowledged: 'off',
  cleared: 'good',
}

/** The filters as the API names them. */
export const writeQuery = ({ show, severity, state, rule, asset, node }: AlarmFilters) => ({
  minSeverity: severity || undefined,
  alarmId: rule || undefined,
  entityId: asset || undefined,
  nodeId: node || undefined,
  ...(show === 'open' && { state: state || undefined }),
})
