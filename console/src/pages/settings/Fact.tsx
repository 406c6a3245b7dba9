import type { ReactNode } from 'react'
import styles from './Settings.module.css'

/** A value with its name and a line of detail; inside of a `dl`. */
export const Fact = (props: { name: string; detail?: ReactNode; children: ReactNode }) => (
  <div className={styles.card}>
    <dt>{props.name}</dt>
    <dd>
      {props.children}
      {props.detail !== undefined && <div className={styles.quiet}>{props.detail}</div>}
    </dd>
  </div>
)
