import styles from './Mark.module.css'

/** A gangway: a plank with its rail. */
export const Mark = () => (
  <svg aria-hidden width="22" height="22" viewBox="0 0 32 32" className={styles.mark}>
    <rect width="32" height="32" rx="7" fill="var(--accent)" />
    <path
      d="M6 22 26 10M9.500 19.900v-6M16 16v-6M22.500 12.100v-5"
      fill="none"
      stroke="var(--on-accent)"
      strokeWidth="2.600"
      strokeLinecap="round"
    />
  </svg>
)
