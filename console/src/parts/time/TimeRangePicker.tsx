import { Button, Group, Popover, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useFormat } from '../../format.ts'
import { useWords } from '../../words/words.tsx'
import { Icon } from '../Icon.tsx'
import { useNow } from '../use-now.ts'
import { readLocal, resolveRange, type Span, spans, type TimeRange, writeLocal } from './time-range.ts'
import styles from './TimeRangePicker.module.css'

interface Props {
  value: TimeRange
  onChange: (range: TimeRange) => void
}

/** The one control for time ranges; the zone is that of the top bar. */
export function TimeRangePicker({ value, onChange }: Props) {
  const words = useWords('common')
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  const label =
    value.kind === 'last'
      ? words.last[value.span]
      : `${format.full(value.fromMs)} – ${format.full(value.toMs)}`
  const choose = (range: TimeRange) => {
    onChange(range)
    setOpen(false)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button
          className={styles.button}
          leftSection={<Icon name="zone" />}
          rightSection={<Icon name="down" size={12} />}
          aria-label={`${words.timeRange}: ${label}`}
          onClick={() => setOpen(!isOpen)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={words.timeRange}>
        <div className={styles.spans}>
          {(Object.keys(spans) as Span[]).map((span) => (
            <button
              key={span}
              type="button"
              className={styles.span}
              aria-pressed={value.kind === 'last' && value.span === span}
              onClick={() => choose({ kind: 'last', span })}
            >
              {words.last[span]}
            </button>
          ))}
        </div>
        <FixedRange value={value} onChange={choose} />
      </Popover.Dropdown>
    </Popover>
  )
}

function FixedRange({ value, onChange }: Props) {
  const words = useWords('common')
  const { zone } = useFormat()
  const now = useNow(60_000)
  const range = resolveRange(value, now)
  const [from, setFrom] = useState(() => writeLocal(range.fromMs, zone))
  const [to, setTo] = useState(() => writeLocal(range.toMs, zone))
  const [fromMs, toMs] = [readLocal(from, zone), readLocal(to, zone)]
  const isOrdered = fromMs < toMs
  return (
    <form
      className={styles.fixed}
      onSubmit={(event) => {
        event.preventDefault()
        if (isOrdered) onChange({ kind: 'fixed', fromMs, toMs })
      }}
    >
      <TextInput
        type="datetime-local"
        step={1}
        label={words.from}
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label={words.to}
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        error={isOrdered ? undefined : words.rangeOrder}
      />
      <Group justify="space-between">
        <span className={styles.note}>{words.zoneNote(zone)}</span>
        <Button type="submit" variant="filled" disabled={!isOrdered}>
          {words.apply}
        </Button>
      </Group>
    </form>
  )
}
