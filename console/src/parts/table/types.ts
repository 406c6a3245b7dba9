import type { ReactNode } from 'react'
import type { PageLink } from '../../links.ts'
import type { Finder } from '../pick/finder.ts'

export interface Column<Row> {
  id: string
  /** The heading, and the name in the menu of columns. */
  title: string
  render: (row: Row) => ReactNode
  /** A size of a CSS grid; default `minmax(96px, 1fr)`. */
  width?: string
  /** Numbers end at the same place. */
  align?: 'end'
  /** The name by which the API sorts; without one the column cannot be sorted. */
  sort?: string
  /** Hidden until it is chosen. */
  isOptional?: boolean
  /** Stays on a phone; the first column always does. */
  isOnPhone?: boolean
  /** The column below whose value it stands on a phone, in the second line of the row. */
  belowOnPhone?: string
}

/** A value by which the list is narrowed. */
export type Filter = ListedFilter | FoundFilter

interface AnyFilter {
  id: string
  label: string
  /** Empty for all. */
  value: string
  onChange: (value: string) => void
}

/** One of any number of things, which the server searches. */
export interface FoundFilter extends AnyFilter {
  finder: Finder
  isRequired?: never
}

/** One of a few values. */
export interface ListedFilter extends AnyFilter {
  /** An explanation of the filter, shown above the options. */
  hint?: string
  options: { value: string; label: string }[]
  /** Whether one of the options always applies, so that there is no "any". */
  isRequired?: boolean
}

export interface Search {
  value: string
  onChange: (value: string) => void
  label: string
}

export interface Sort {
  by: string
  direction: 'asc' | 'desc'
}

/** What `usePagedList` and lists of a page's own offer to a table. */
export interface RowSource<Row> {
  rows: Row[]
  /** No answer yet. */
  isLoading: boolean
  error: unknown
  hasMore: boolean
  isLoadingMore: boolean
  /** Whether the rows still answer an earlier search, filter or place, until those that are wanted arrive. */
  isOutdated?: boolean
  /** When the rows were loaded, in milliseconds; absent for rows that are updated live. */
  asOfMs?: number
  /** Whether there may be newer rows, which are not read by themselves because the list is long. */
  isBehind?: boolean
  /** Begins the list again with its newest state. */
  showNewest?: () => void
  loadMore: () => void
  /** Absent where the rows keep themselves up to date. */
  refresh?: () => void
}

export interface BulkAction<Row> {
  label: string
  onRun: (rows: Row[]) => void
  isDangerous?: boolean
}

export interface DataTableProps<Row> {
  /** Under which the chosen columns are remembered. */
  name: string
  /** What the table is, for screen readers. */
  label: string
  source: RowSource<Row>
  columns: Column<Row>[]
  rowKey: (row: Row) => string
  /** The name of a row, for screen readers. */
  rowName: (row: Row) => string
  /** Where Enter and a click lead. */
  rowLink?: (row: Row) => PageLink
  /** What Enter and a click do to a row that has no address of its own. */
  onRowOpen?: (row: Row) => void
  search?: Search
  filters?: Filter[]
  sort?: { value: Sort | null; onChange: (sort: Sort) => void }
  bulk?: BulkAction<Row>[]
  /** Shown when there is nothing at all; with a search or a filter the table says that nothing matches. */
  empty: ReactNode
  /** What is missing of the list, as a sentence. */
  partial?: string
  /** `page` fills the rest of the page, `content` is as high as its rows. */
  fit?: 'page' | 'content'
}
