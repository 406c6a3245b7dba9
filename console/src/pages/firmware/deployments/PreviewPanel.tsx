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
type List = 'deviceIds' | 'unsuited' | 'offline' | 'waiting' | 'upToDate'

const groups: [list: Exclude<List, 'deviceIds'>, mark: StateKind][] = [
  ['unsuited', 'bad'],
  ['offline', 'warning'],
  ['waiting', 'warning'],
  ['upToDate', 'off'],
]

/** What a deployment would do: each count opens the list of its devices. */
export function PreviewPanel({ preview, threshold }: { preview: Preview; threshold: number | null }) {
  const { new: words } = useWords('deployments')
  const format = useFormat()
  const [shown, setShown] = useState<List | null>(null)
  const total = preview.deviceIds.length
  if (total === 0) return <Empty icon="devices" title={words.nobody} text={words.nobodyText} />
  return (
    <>
      <p>
        <button type="button" className={styles.count} onClick={() => setShown('deviceIds')}>
          {words.gets(total, format.number(total))}
        </button>
      </p>
      <ul className={styles.counts}>
        {groups
          .filter(([list]) => preview[list].length > 0)
          .map(([list, mark]) => (
            <li key={list}>
              <StateMark state={mark}>
                <span>
                  <button type="button" className={styles.count} onClick={() => setShown(list)}>
                    {format.number(preview[list].length)}
                  </button>{' '}
                  {words[list]}
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
      <DeviceDrawer ids={shown === null ? null : preview[shown]} onClose={() => setShown(null)} />
    </>
  )
}

function DeviceDrawer({ ids, onClose }: { ids: string[] | null; onClose: () => void }) {
  const { new: words } = useWords('deployments')
  const { id: idLabel } = useWords('deployments')
  const common = useWords('common')
  return (
    <Drawer
      opened={ids !== null}
      onClose={onClose}
      title={words.list}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <DataTable
        name="preview-devices"
        label={words.list}
        source={shownRows(ids ?? [])}
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
