import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../../words/words.tsx'
import { Icon } from '../Icon.tsx'
import { onFirstUse } from '../on-first-use.tsx'
import styles from './Toolbar.module.css'
import type { Column, DataTableProps, Filter, FoundFilter, ListedFilter, Search } from './types.ts'

const FilterMenu = onFirstUse(() => import('./FilterMenu.tsx'))
const FoundMenu = onFirstUse(() => import('./FoundMenu.tsx'))
const ColumnMenu = onFirstUse(() => import('./ColumnMenu.tsx'))
const SEARCH_DELAY_MS = 250

/** Search, filters, columns: what is shown of a list. */
export function Toolbar<Row>(props: DataTableProps<Row> & { shown: Column<Row>[] }) {
  const { search, filters = [], name, columns, shown, source } = props
  const words = useWords('common')
  const set = filters.filter(({ value, isRequired }) => value !== '' && !isRequired)
  return (
    <div className={styles.bar} role="toolbar" aria-label={props.label}>
      {search !== undefined && <SearchBox search={search} />}
      {filters.map((filter) => (
        <FilterChip key={filter.id} filter={filter} />
      ))}
      {set.length > 1 && (
        <button type="button" className={styles.chip} onClick={() => set.forEach((one) => one.onChange(''))}>
          {words.clearFilters}
        </button>
      )}
      <span className={styles.space} />
      {source.refresh !== undefined && (
        <button
          type="button"
          className={styles.tool}
          aria-label={words.refresh}
          title={words.refresh}
          onClick={source.refresh}
        >
          <Icon name="refresh" />
        </button>
      )}
      {columns.length > 2 && <ColumnChoice name={name} columns={columns} shown={shown} />}
    </div>
  )
}

function SearchBox({ search }: { search: Search }) {
  const words = useWords('common')
  const [typed, setTyped] = useState(search.value)
  const send = useDebouncedCallback(search.onChange, SEARCH_DELAY_MS)
  useEffect(() => setTyped(search.value), [search.value])
  const change = (value: string) => {
    setTyped(value)
    send(value)
  }
  return (
    <TextInput
      className={styles.search}
      type="search"
      aria-label={search.label}
      placeholder={search.label}
      leftSection={<Icon name="search" />}
      rightSection={
        typed !== '' && (
          <button
            type="button"
            className={styles.clear}
            aria-label={words.clearSearch}
            onClick={() => change('')}
          >
            <Icon name="close" size={12} />
          </button>
        )
      }
      value={typed}
      onChange={(event) => change(event.currentTarget.value)}
    />
  )
}

function FilterChip({ filter }: { filter: Filter }) {
  return 'finder' in filter ? <FoundChip filter={filter} /> : <ListedChip filter={filter} />
}

function ListedChip({ filter }: { filter: ListedFilter }) {
  const { label, options, value, onChange, isRequired = false } = filter
  const name = options.find((option) => option.value === value)?.label
  const onRemove = isRequired || name === undefined ? undefined : () => onChange('')
  return (
    <Chip label={label} onRemove={onRemove}>
      <FilterMenu filter={filter} button={chipButton(label, name, onRemove === undefined)} />
    </Chip>
  )
}

function FoundChip({ filter }: { filter: FoundFilter }) {
  const { label, value, onChange, finder } = filter
  const chosen = useQuery({
    queryKey: ['picked', finder.kind, 'one', value],
    queryFn: ({ signal }) => finder.read(value, signal),
    enabled: value !== '',
    staleTime: 300_000,
    retry: false,
  })
  const name = value === '' ? undefined : (chosen.data?.name ?? value)
  const onRemove = value === '' ? undefined : () => onChange('')
  return (
    <Chip label={label} onRemove={onRemove}>
      <FoundMenu filter={filter} button={chipButton(label, name, onRemove === undefined)} />
    </Chip>
  )
}

const chipButton = (label: string, name: string | undefined, isOpenable: boolean) => (
  <button type="button" className={styles.part}>
    {label}
    {name !== undefined && (
      <>
        : <bdi>{name}</bdi>
      </>
    )}
    {isOpenable && <Icon name="down" size={12} />}
  </button>
)

interface ChipProps {
  label: string
  /** Absent where nothing is chosen, or something always is. */
  onRemove: (() => void) | undefined
  children: ReactNode
}

function Chip({ label, onRemove, children }: ChipProps) {
  const words = useWords('common')
  return (
    <span className={styles.chip} data-set={onRemove !== undefined || undefined}>
      {children}
      {onRemove !== undefined && (
        <button
          type="button"
          className={styles.part}
          aria-label={words.removeFilter(label)}
          onClick={onRemove}
        >
          <Icon name="close" size={12} />
        </button>
      )}
    </span>
  )
}

function ColumnChoice<Row>({
  name,
  columns,
  shown,
}: {
  name: string
  columns: Column<Row>[]
  shown: Column<Row>[]
}) {
  const words = useWords('common')
  return (
    <ColumnMenu
      name={name}
      columns={columns}
      shown={shown.map(({ id }) => id)}
      button={
        <button type="button" className={styles.tool} aria-label={words.columns} title={words.columns}>
          <Icon name="columns" />
        </button>
      }
    />
  )
}
