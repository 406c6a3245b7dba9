import { ActionIcon, Button, NumberInput, TextInput } from '@mantine/core'
import { Icon } from '../../../../parts/Icon.tsx'
import { useWords } from '../../../../words/words.tsx'
import type { Scale } from '../../board/scale.ts'
import styles from '../Editor.module.css'
import type { FieldProps } from './field.ts'

const MOST_THRESHOLDS = 20

/** Unit, digits, limits and thresholds of values. */
export function ScaleField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  const { unit = '', decimals, min, max, thresholds = [] } = options as Scale
  const number = (value: string | number) => (value === '' ? undefined : Number(value))
  const setThresholds = (next: typeof thresholds) =>
    onChange({ thresholds: next.length === 0 ? undefined : next })
  return (
    <section className={styles.group} aria-label={words.scale}>
      <h3 className={styles.groupTitle}>{words.scale}</h3>
      <div className={styles.pair}>
        <TextInput
          label={words.unit}
          autoComplete="off"
          maxLength={32}
          value={unit}
          onChange={(event) => onChange({ unit: event.currentTarget.value || undefined })}
        />
        <NumberInput
          label={words.decimals}
          min={0}
          max={10}
          allowDecimal={false}
          value={decimals ?? ''}
          onChange={(value) => onChange({ decimals: number(value) })}
        />
        <NumberInput
          label={words.min}
          value={min ?? ''}
          onChange={(value) => onChange({ min: number(value) })}
        />
        <NumberInput
          label={words.max}
          value={max ?? ''}
          onChange={(value) => onChange({ max: number(value) })}
        />
      </div>
      {thresholds.map((threshold, index) => (
        <div key={index} className={styles.threshold}>
          <NumberInput
            aria-label={words.thresholdValue}
            value={threshold.value}
            onChange={(value) =>
              setThresholds(thresholds.with(index, { ...threshold, value: Number(value) }))
            }
          />
          <TextInput
            aria-label={words.thresholdLabel}
            placeholder={words.label}
            autoComplete="off"
            value={threshold.label ?? ''}
            onChange={(event) => {
              const { label: _before, ...rest } = threshold
              const label = event.currentTarget.value
              setThresholds(thresholds.with(index, label === '' ? rest : { ...rest, label }))
            }}
          />
          <input
            type="color"
            className={styles.color}
            aria-label={words.thresholdColor}
            value={threshold.color ?? '#b35a00'}
            onChange={(event) =>
              setThresholds(thresholds.with(index, { ...threshold, color: event.currentTarget.value }))
            }
          />
          <ActionIcon
            variant="subtle"
            aria-label={words.removeThreshold}
            onClick={() => setThresholds(thresholds.toSpliced(index, 1))}
          >
            <Icon name="close" />
          </ActionIcon>
        </div>
      ))}
      {thresholds.length < MOST_THRESHOLDS && (
        <div>
          <Button variant="subtle" onClick={() => setThresholds([...thresholds, { value: 0 }])}>
            {words.addThreshold}
          </Button>
        </div>
      )}
    </section>
  )
}
