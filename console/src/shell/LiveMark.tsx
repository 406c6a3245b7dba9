import { useFormat } from '../format.ts'
import { useLiveState, useLiveStore } from '../live/LiveProvider.tsx'
import { useNow } from '../parts/use-now.ts'
import { Icon } from '../parts/Icon.tsx'
import { useWords } from '../words/words.tsx'
import styles from './TopBar.module.css'

/** Whether the values on the page follow the devices, and if not, how old they are. */
export function LiveMark() {
  const words = useWords('shell')
  const format = useFormat()
  const live = useLiveState()
  const newestMs = useLiveStore().readNewestMs()
  const now = useNow(1000)
  if (live.kind === 'off') return null
  const isLive = live.kind === 'live'
  const age = newestMs === null ? null : format.relative(newestMs, now)
  const label = !isLive
    ? words.reconnecting(format.time(live.sinceMs))
    : age === null
      ? words.liveQuiet
      : words.liveNewest(age)
  return (
    <span className={`${styles.button} ${styles.live}`} data-state={live.kind} title={label}>
      <Icon name={isLive ? 'live' : 'warning'} />
      {isLive ? (
        <>
          <span className={age === null ? undefined : styles.wide}>{words.live}</span>
          {age !== null && <span>{age}</span>}
        </>
      ) : (
        <span role="status">{label}</span>
      )}
    </span>
  )
}
