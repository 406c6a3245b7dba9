import { useFormat } from '../../../format.ts'
import { useWords } from '../../../words/words.tsx'
import styles from '../Firmware.module.css'
import { CountBar } from './CountBar.tsx'
import { type DeploymentDetails, type UpdateStatus, updateStates } from './deployment.ts'

interface Props {
  deployment: DeploymentDetails
  /** Shows the updates behind a count. `wave` is '' for all, '0' for those outside of the waves. */
  onChoose: (chosen: { status: UpdateStatus | ''; wave: string }) => void
}

/** Counts by wave and state; each leads to its updates. */
export function WaveTable({ deployment, onChoose }: Props) {
  const words = useWords('deployments')
  const { firmwareTab } = useWords('devices')
  const format = useFormat()
  const { counts, waves, total } = deployment
  const rejectedBefore = counts.Rejected - waves.reduce((sum, wave) => sum + wave.Rejected, 0)
  const outside = { Ready: 0, Running: 0, Succeeded: 0, Failed: 0, Rejected: rejectedBefore, Cancelled: 0 }
  // A state of no update has no column, so that the table fits on a phone.
  const shown = updateStates.filter((status) => status === 'Failed' || counts[status] > 0)
  const row = (key: string, name: React.ReactNode, of: typeof counts) => (
    <tr key={key} data-current={key === String(deployment.wave) || undefined}>
      <th scope="row">{name}</th>
      {shown.map((status) => (
        <td key={status}>
          {of[status] === 0 ? (
            format.number(0)
          ) : (
            <button
              type="button"
              className={styles.count}
              onClick={() => onChoose({ status, wave: key === 'all' ? '' : key })}
            >
              {format.number(of[status])}
            </button>
          )}
        </td>
      ))}
    </tr>
  )
  return (
    <>
      <CountBar counts={counts} />
      {/* The table scrolls sideways on a phone, by keys too. */}
      <div className={styles.wavesFrame} tabIndex={0} role="region" aria-label={words.progress}>
        <table className={styles.waves}>
          <thead>
            <tr>
              <th scope="col">{words.wave}</th>
              {shown.map((status) => (
                <th key={status} scope="col">
                  {firmwareTab.states[status]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {waves.length > 1 &&
              waves.map((wave) =>
                row(
                  String(wave.wave),
                  `${format.number(wave.wave)} · ${words.upTo(format.percent(wave.percent / 100))}`,
                  wave,
                ),
              )}
            {rejectedBefore > 0 && row('0', <span title={words.outsideHint}>{words.outside}</span>, outside)}
            {row('all', `${words.all} · ${format.number(total)}`, counts)}
          </tbody>
        </table>
      </div>
    </>
  )
}
