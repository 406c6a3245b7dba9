import type { ReactNode } from 'react'
import { Mark } from '../shell/Mark.tsx'
import styles from './Card.module.css'

/** The frame of pages without a sign-in. */
export const Card = ({ title, text, children }: { title: string; text?: string; children: ReactNode }) => (
  <main className={styles.page}>
    <section className={styles.card}>
      <Mark />
      <h1 className={styles.title}>{title}</h1>
      {text !== undefined && <p className={styles.text}>{text}</p>}
      {children}
    </section>
  </main>
)
