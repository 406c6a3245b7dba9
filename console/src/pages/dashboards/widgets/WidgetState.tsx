import type { ReactNode } from 'react'
import { Loading } from '../../../parts/State.tsx'
import styles from './Widgets.module.css'

/** Why a widget shows nothing. */
export const WidgetNote = ({ children }: { children: ReactNode }) => <p className={styles.note}>{children}</p>

export const WidgetLoading = () => <Loading rows={2} />
