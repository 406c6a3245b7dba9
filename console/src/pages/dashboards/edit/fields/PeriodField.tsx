import { Select } from '@mantine/core'
import { useState } from 'react'
import { NumberField } from '../../../../parts/number/NumberField.tsx'
import { useWords } from '../../../../words/words.tsx'
import styles from '../Editor.module.css'
import type { FieldProps } from './field.ts'
import { type PeriodUnit, periodUnits, readLength, writeLength } from './period.ts'

const periods = ['PT5M', 'PT1H', 'PT6H', 'PT24H', 'P7D', 'P30D'] as const
const OTHER = 'other'

/** The time of the widget, if it is not that of the board: one of the usual times, or any length. */
export function PeriodField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  const period = typeof options.period === 'string' ? options.period : ''
  const [isOther, setOther] = useState(false)
  const offered = periods.map((value) => ({ value: value as string, label: words.periods[value] }))
  const length = readLength(period)
  const isUsual = period === '' || offered.some(({ value }) => value === period)
  // A time of several parts is not changed by the fields, and kept.
  const isKept = !isUsual && length === undefined
  return (
    <>
      <Select
        label={words.period}
        data={[
          { value: '', label: words.periodOfBoard },
          ...offered,
          ...(isKept ? [{ value: period, label: period }] : []),
          { value: OTHER, label: words.otherPeriod },
        ]}
        value={isKept || (isUsual && !isOther) ? period : OTHER}
        onChange={(chosen) => {
          setOther(chosen === OTHER)
          if (chosen !== OTHER) onChange({ period: chosen || undefined })
          else if (length === undefined) onChange({ period: writeLength(2, 'hour') })
        }}
      />
      {length !== undefined && (isOther || !isUsual) && (
        <LengthFields {...length} onChange={(next) => onChange({ period: next })} />
      )}
    </>
  )
}

interface LengthProps {
  count: number
  unit: PeriodUnit
  onChange: (period: string) => void
}

function LengthFields({ count, unit, onChange }: LengthProps) {
  const words = useWords('dashboardEditor')
  return (
    <div className={styles.pair}>
      <NumberField
        label={words.periodLength}
        min={1}
        max={9999}
        allowDecimal={false}
        clampBehavior="blur"
        value={count}
        onChange={(next) => next !== null && next >= 1 && onChange(writeLength(next, unit))}
      />
      <Select
        label={words.periodUnit}
        data={periodUnits.map((value) => ({ value, label: words.periodUnits[value] }))}
        value={unit}
        onChange={(next) => onChange(writeLength(count, next as PeriodUnit))}
      />
    </div>
  )
}
