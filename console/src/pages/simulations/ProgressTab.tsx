import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Facts } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import styles from '../firmware/Firmware.module.css'
import { BreakDevices } from './BreakDevices.tsx'
import { FaultTable } from './FaultTable.tsx'
import type { Simulation } from './simulation.ts'

/** What the devices have done since the start, and what is wrong with them on purpose. */
export function ProgressTab({ simulation, asOfMs }: { simulation: Simulation; asOfMs: number }) {
  const words = useWords('simulations')
  const format = useFormat()
  const { count, progress, deviceIdPrefix: search, providerId: provider } = simulation
  const of = (part: number) => words.of(format.number(part), format.number(count))
  return (
    <div className={styles.columns}>
      <div className={styles.block}>
        <Facts
          entries={[
            [
              words.devices,
              <PageAnchor key="devices" link={links.devices({ provider, search })}>
                {of(progress.devices)}
              </PageAnchor>,
            ],
            [
              words.connected,
              <PageAnchor key="connected" link={links.devices({ provider, search, connection: 'online' })}>
                {of(progress.connected)}
              </PageAnchor>,
            ],
            [words.sent, format.number(progress.sent)],
            [words.acknowledged, format.number(progress.acknowledged)],
            [
              words.errors,
              <span key="errors" title={words.errorsHint}>
                {format.number(progress.errors)}
              </span>,
            ],
            ...(progress.lastError === null
              ? []
              : [[words.lastError, <bdi key="last">{progress.lastError}</bdi>] as [string, React.ReactNode]]),
          ]}
        />
        <p className={styles.quiet}>{words.asOf(format.full(asOfMs))}</p>
        <h2 className={styles.subtitle}>{words.break.list}</h2>
        <FaultTable simulation={simulation} />
      </div>
      <BreakDevices simulation={simulation} />
    </div>
  )
}
