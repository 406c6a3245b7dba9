import { Drawer } from '@mantine/core'
import type { Answer } from '@gangway/client'
import { useState } from 'react'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { Id } from '../../../parts/Id.tsx'
import { Empty } from '../../../parts/State.tsx'
import { StateMark, type StateKind } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import { shownRows } from '../../../parts/table/use-paged-list.ts'
import { useWords } from '../../../words/words.tsx'
import styles from '../Firmware.module.css'

export type Preview = Answer<'post', '/v1/firmware/deployments/preview'>
type Group = 'unsuited' | 'offline' | 'waiting' | 'upToDate'

const groups: [group: Group, mark: StateKind][] = [
  ['unsuited', 'bad'],
  ['offline', 'warning'],
  ['waiting', 'warning'],
  ['upToDate', 'off'],
]

/** What a deployment would do: each count opens the list of its devices. */
export function PreviewPanel({ preview, threshold }: { preview: Preview; threshold: number | null }) {
  const { new: words } = useWords('deployments')
  const format = useFormat()
  const [shown, setShown] = useState<Group | 'all' | null>(null)
  const total = preview.deviceIds.length
  if (total === 0) return <Empty icon="devices" title={words.nobody} text={words.nobodyText} />
  return (
    <>
      <p>
        <button type="button" className={styles.count} onClick={() => setShown('all')}>
          {words.gets(total, format.number(total))}
        </button>
      </p>
      <ul className={styles.counts}>
        {groups
          .filter(([group]) => preview[group].clients > 0)
          .map(([group, mark]) => (
            <li key={group}>
              <StateMark state={mark}>
                <span>
                  <button type="button" className={styles.count} onClick={() => setShown(group)}>
                    {format.number(preview[group].clients)}
                  </button>{' '}
                  {words[group]}
                </span>
              </StateMark>
            </li>
          ))}
      </ul>
      <table className={styles.waves}>
        <tbody>
          {preview.waves.map(({ wave, percent, clients }) => (
            <tr key={wave}>
              <th scope="row">{words.wave(format.number(wave), format.percent(percent / 100))}</th>
              <td>{format.number(clients)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles.quiet}>
        {threshold === null || threshold >= 100
          ? words.neverStops
          : words.stops(format.percent(threshold / 100))}
      </p>
      <h3 className={styles.label}>{words.now}</h3>
      <table className={styles.waves}>
        <tbody>
          {preview.releases.map(({ releaseId, releaseName, clients }) => (
            <tr key={releaseId ?? ''}>
              <th scope="row">
                <bdi>{releaseName ?? words.unknownRelease}</bdi>
              </th>
              <td>{format.number(clients)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <DeviceDrawer
        devices={shown === 'all' ? { clients: total, deviceIds: preview.deviceIds } : shown && preview[shown]}
        onClose={() => setShown(null)}
      />
    </>
  )
}

/** @param devices their number, and the ids of the first ones */
function DeviceDrawer({ devices, onClose }: { devices: Preview[Group] | null; onClose: () => void }) {
  const { new: words } = useWords('deployments')
  const { id: idLabel } = useWords('deployments')
  const common = useWords('common')
  const format = useFormat()
  const { clients, deviceIds } = devices ?? { clients: 0, deviceIds: [] }
  return (
    <Drawer
      opened={devices !== null}
      onClose={onClose}
      title={words.list}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {clients > deviceIds.length && (
        <p className={styles.quiet}>
          {words.listCut(format.number(deviceIds.length), format.number(clients))}
        </p>
      )}
      <DataTable
        name="preview-devices"
        label={words.list}
        source={shownRows(deviceIds)}
        columns={[
          {
            id: 'id',
            title: idLabel,
            render: (id: string) => <Id value={id} name={idLabel} isCopied={false} />,
          },
        ]}
        rowKey={(id) => id}
        rowName={(id) => id}
        rowLink={(id) => links.devices({ search: id })}
        empty={<Empty icon="devices" title={words.nobody} />}
        fit="content"
      />
    </Drawer>
  )
}
