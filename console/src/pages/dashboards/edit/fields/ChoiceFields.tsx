import { Checkbox, Select, Textarea } from '@mantine/core'
import { useWords } from '../../../../words/words.tsx'
import { intervals, singleAggregations } from '../../../explore/resolution.ts'
import type { FieldProps } from './field.ts'

export function AggregationField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  const names = useWords('dashboards').aggregations
  return (
    <Select
      label={words.aggregation}
      data={[
        { value: '', label: words.automatic },
        ...singleAggregations.map((value) => ({ value: value as string, label: names[value] })),
      ]}
      value={typeof options.aggregationType === 'string' ? options.aggregationType : ''}
      onChange={(aggregationType) => onChange({ aggregationType: aggregationType || undefined })}
    />
  )
}

/** Length of the buckets of a chart, if it is not chosen by its time. */
export function IntervalField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  const names = useWords('explore').intervals
  const value = typeof options.aggregationInterval === 'string' ? options.aggregationInterval : ''
  const offered = intervals.map((interval) => ({ value: interval as string, label: names[interval] }))
  const isOther = value !== '' && !offered.some((option) => option.value === value)
  return (
    <Select
      label={words.interval}
      data={[
        { value: '', label: words.automatic },
        ...offered,
        ...(isOther ? [{ value, label: value }] : []),
      ]}
      value={value}
      onChange={(interval) => onChange({ aggregationInterval: interval || undefined })}
    />
  )
}

/** Whether the time of the same length before is shown, too. */
export function CompareField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  return (
    <Checkbox
      label={words.compare}
      checked={options.compare === true}
      onChange={(event) => onChange({ compare: event.currentTarget.checked || undefined })}
    />
  )
}

/** Whether a section is collapsed when the board is opened. */
export function CollapsedField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  return (
    <Checkbox
      label={words.collapsed}
      checked={options.collapsed === true}
      onChange={(event) => onChange({ collapsed: event.currentTarget.checked || undefined })}
    />
  )
}

export function SeverityField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  const { severities } = useWords('common')
  return (
    <Select
      label={words.severity}
      data={[1, 2, 3, 4, 5].map((severity) => ({ value: String(severity), label: severities[severity]! }))}
      value={String(options.minSeverity ?? 1)}
      onChange={(severity) => onChange({ minSeverity: severity === '1' ? undefined : Number(severity) })}
    />
  )
}

export function HistoryField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  return (
    <Checkbox
      label={words.clearedAlarms}
      checked={options.history === true}
      onChange={(event) => onChange({ history: event.currentTarget.checked || undefined })}
    />
  )
}

export function TextField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  return (
    <Textarea
      label={words.text}
      description={words.textHint}
      autosize
      minRows={6}
      maxRows={20}
      maxLength={20_000}
      value={typeof options.text === 'string' ? options.text : ''}
      onChange={(event) => onChange({ text: event.currentTarget.value })}
    />
  )
}
