import type { StateKind } from '../../../parts/StateMark.tsx'
import { updateMarks } from '../../devices/FirmwareUpdate.tsx'
import styles from '../Firmware.module.css'
import { type Deployment, updateStates } from './deployment.ts'

const order: StateKind[] = ['good', 'active', 'bad', 'off']

/** The shares of the states of updates as a bar. The numbers stand beside it, so that it needs no name. */
export function CountBar({ counts }: { counts: Deployment['counts'] }) {
  const shares = order.map((kind) => ({
    kind,
    count: updateStates
      .filter((state) => updateMarks[state] === kind)
      .reduce((sum, state) => sum + counts[state], 0),
  }))
  return (
    <span className={styles.bar} aria-hidden>
      {shares
        .filter(({ count }) => count > 0)
        .map(({ kind, count }) => (
          <span key={kind} data-state={kind} style={{ flexGrow: count }} />
        ))}
    </span>
  )
}
