import { Select } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../../words/words.tsx'

const DAY_MS = 86_400_000
const lifetimes = ['1', '7', '30', '90', '365']
const NEVER = 'never'

/** As the API takes it; undefined for a token without an end. */
export const endOf = (days: string): string | undefined =>
  days === '' ? undefined : new Date(Date.now() + Number(days) * DAY_MS).toISOString()

interface Props {
  /** Empty if it never ends. */
  days: string
  onChange: (days: string) => void
  mayBeEndless?: boolean
  error: ReactNode
}

/** When a token ends, in days. */
export function LifetimeSelect({ days, onChange, mayBeEndless = false, error }: Props) {
  const { create: words } = useWords('apiTokens')
  const data = lifetimes.map((value) => ({ value, label: words.inDays(Number(value)) }))
  return (
    <Select
      label={words.ends}
      data={mayBeEndless ? [...data, { value: NEVER, label: words.never }] : data}
      value={days === '' ? NEVER : days}
      onChange={(value) => value !== null && onChange(value === NEVER ? '' : value)}
      error={error}
    />
  )
}
