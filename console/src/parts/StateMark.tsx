import type { ReactNode } from 'react'
import { useWords } from '../words/words.tsx'
import { Icon, type IconName } from './Icon.tsx'
import styles from './StateMark.module.css'

export type StateKind = 'good' | 'active' | 'warning' | 'bad' | 'off'

const icons: Record<StateKind, IconName> = {
  good: 'good',
  active: 'zone',
  warning: 'warning',
  bad: 'bad',
  off: 'offline',
}

/** A state by color, icon and word; never by color alone. */
export const StateMark = ({ state, children }: { state: StateKind; children: ReactNode }) => (
  <span className={styles.mark} data-state={state}>
    <Icon name={icons[state]} size={14} />
    {children}
  </span>
)

const severityIcons: IconName[] = ['info', 'info', 'warning', 'warning', 'bad']

/** A severity from 1 to 5. */
export function Severity({ severity }: { severity: number }) {
  const words = useWords('common')
  return (
    <span className={styles.mark} data-severity={severity}>
      <Icon name={severityIcons[severity - 1] ?? 'info'} size={14} />
      {words.severities[severity] ?? severity}
    </span>
  )
}
