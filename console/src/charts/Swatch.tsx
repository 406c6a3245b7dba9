import { colorToken, dashFor } from './plot/look.ts'
import styles from './Chart.module.css'

/** Short line in the color and dash of a series. */
export const Swatch = ({ color, ink }: { color: number; ink?: string | undefined }) => (
  <svg className={styles.swatch} aria-hidden focusable="false" width="24" height="10" viewBox="0 0 24 10">
    <line
      x1="1"
      y1="5"
      x2="23"
      y2="5"
      stroke={ink ?? colorToken(color)}
      strokeWidth="2.5"
      strokeDasharray={dashFor(color).join(' ')}
    />
  </svg>
)
