import type { ReactNode } from 'react'
import { useFormat } from '../../format.ts'
import { StateMark, type StateKind } from '../../parts/StateMark.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Devices.module.css'
import { isDifferent, type TwinRow } from './twin-changes.ts'

const marks: Record<TwinRow['state'], StateKind> = {
  same: 'good',
  differs: 'warning',
  missing: 'warning',
  extra: 'off',
}

interface Props {
  rows: TwinRow[]
  versions: { desired: number; reported: number }
  /** Note below the path of a property. */
  note?: (row: TwinRow) => ReactNode
}

/** Table of the desired and the reported value of each property. */
export function TwinTable({ rows, versions, note }: Props) {
  const { twin: words } = useWords('devices')
  const format = useFormat()
  return (
    <div className={styles.frame}>
      <table className={styles.twin}>
        <thead>
          <tr>
            <th scope="col">{words.property}</th>
            <th scope="col">
              {words.desired} · {words.version(format.number(versions.desired))}
            </th>
            <th scope="col">
              {words.reported} · {words.version(format.number(versions.reported))}
            </th>
            <th scope="col" className={styles.stateColumn}>
              {words.state}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.path} data-differs={isDifferent(row) || undefined}>
              <td>
                <bdi>{row.path}</bdi>
                {note?.(row)}
              </td>
              <td>
                <Side value={row.desired} />
              </td>
              <td>
                <Side value={row.reported} />
              </td>
              <td className={styles.stateColumn}>
                <StateMark state={marks[row.state]}>{words[row.state]}</StateMark>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Side = ({ value }: { value: unknown }) =>
  value === undefined ? (
    <span className={styles.none}>–</span>
  ) : (
    <code>
      <bdi>{JSON.stringify(value)}</bdi>
    </code>
  )
