import { Drawer } from '@mantine/core'
import { useState } from 'react'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Id } from '../../parts/Id.tsx'
import { Empty } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { useNow } from '../../parts/use-now.ts'
import { useWords } from '../../words/words.tsx'
import styles from '../firmware/Firmware.module.css'
import { type Fault, isFaultOver, type Simulation } from './simulation.ts'

/** Faults that have not ended, with their devices. */
export function FaultTable({ simulation }: { simulation: Simulation }) {
  const { break: words, devices } = useWords('simulations')
  const format = useFormat()
  const now = useNow(1000)
  const [shown, setShown] = useState<Fault | null>(null)
  return (
    <>
      <DataTable
        name="simulation-faults"
        label={words.list}
        source={shownRows(simulation.faults.filter((fault) => !isFaultOver(fault, now)))}
        columns={[
          {
            id: 'kind',
            title: words.kind,
            width: 'minmax(96px, 1fr)',
            render: ({ kind }: Fault) => <StateMark state="warning">{words.kinds[kind]}</StateMark>,
          },
          {
            id: 'devices',
            title: devices,
            width: '88px',
            align: 'end',
            isOnPhone: true,
            render: (fault: Fault) => (
              <button type="button" className={styles.count} onClick={() => setShown(fault)}>
                {format.number(fault.deviceIds.length)}
              </button>
            ),
          },
          {
            id: 'factor',
            title: words.factor,
            width: '72px',
            align: 'end',
            render: ({ factor }: Fault) => factor !== undefined && format.number(factor),
          },
          {
            id: 'until',
            title: words.until,
            width: 'minmax(150px, 1.4fr)',
            render: ({ until }: Fault) => format.full(until),
          },
        ]}
        rowKey={({ kind, since, deviceIds }) => `${kind} ${since} ${deviceIds[0]}`}
        rowName={({ kind }) => words.kinds[kind]}
        empty={<Empty icon="good" title={words.none} text={words.noneText} />}
        fit="content"
      />
      <FaultDevices simulation={simulation} fault={shown} onClose={() => setShown(null)} />
    </>
  )
}

interface DevicesProps {
  simulation: Simulation
  fault: Fault | null
  onClose: () => void
}

function FaultDevices({ simulation, fault, onClose }: DevicesProps) {
  const { break: words, id: idLabel } = useWords('simulations')
  const common = useWords('common')
  return (
    <Drawer
      opened={fault !== null}
      onClose={onClose}
      title={words.devicesOf}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <DataTable
        name="fault-devices"
        label={words.devicesOf}
        source={shownRows(fault?.deviceIds ?? [])}
        columns={[
          {
            id: 'id',
            title: idLabel,
            render: (id: string) => <Id value={id} name={idLabel} isCopied={false} />,
          },
        ]}
        rowKey={(id) => id}
        rowName={(id) => id}
        rowLink={(id) => links.device(simulation.providerId, id)}
        empty={<Empty icon="devices" title={words.none} />}
        fit="content"
      />
    </Drawer>
  )
}
