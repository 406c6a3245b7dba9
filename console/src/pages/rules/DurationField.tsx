import { NumberInput, Select } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../../words/words.tsx'
import styles from './Rules.module.css'

const lengths = { second: 1, minute: 60, hour: 3600, day: 86_400 }
type Unit = keyof typeof lengths
const units = Object.keys(lengths) as Unit[]

interface Props {
  label: string
  description: string
  seconds: number
  onChange: (seconds: number) => void
  error?: string | undefined
  isReadOnly: boolean
}

/** A duration as a number and a unit; 0 is none. */
export function DurationField({ label, description, seconds, onChange, error, isReadOnly }: Props) {
  const words = useWords('rules')
  const [chosen, setChosen] = useState<Unit>(() => fittingUnit(seconds))
  // A duration that came from elsewhere, such as by undo, may be no whole number of the chosen unit.
  const unit = seconds % lengths[chosen] === 0 ? chosen : fittingUnit(seconds)
  const count = seconds / lengths[unit]
  return (
    <div className={styles.duration}>
      <NumberInput
        label={label}
        description={description}
        error={error}
        min={0}
        max={Math.floor((31 * lengths.day) / lengths[unit])}
        allowDecimal={false}
        allowNegative={false}
        readOnly={isReadOnly}
        value={count}
        onChange={(next) => onChange(Math.round(Number(next) || 0) * lengths[unit])}
      />
      <Select
        aria-label={words.unitOf(label)}
        disabled={isReadOnly}
        data={units.map((value) => ({ value, label: words.units[value] }))}
        value={unit}
        onChange={(next) => {
          setChosen(next as Unit)
          onChange(Math.min(31 * lengths.day, count * lengths[next as Unit]))
        }}
      />
    </div>
  )
}

/** The longest unit of which the duration is a whole number. */
const fittingUnit = (seconds: number): Unit =>
  seconds === 0 ? 'second' : (units.findLast((unit) => seconds % lengths[unit] === 0) ?? 'second')
