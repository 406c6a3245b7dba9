import { Checkbox } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, useEffect, useRef } from 'react'
import { usePreferences } from '../../preferences.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './DataTable.module.css'
import { HeaderCell } from './HeaderCell.tsx'
import type { Column, DataTableProps } from './types.ts'
import { useRowKeys } from './use-row-keys.ts'

interface Selection {
  keys: ReadonlySet<string>
  onChange: (keys: ReadonlySet<string>) => void
}

type Props<Row> = DataTableProps<Row> & { onOpen: (row: Row) => void; selection: Selection | null }

const ROW = { normal: 36, compact: 28 }
/** Height in pixels of rows with two lines. */
const TALL_ROW = { normal: 56, compact: 48 }
/** Rows beyond the visible ones; quick scrolling shows no blank. */
const OVERSCAN = 20

/** The rows that are visible, of as many as there are. */
export function TableGrid<Row>(props: Props<Row>) {
  const { source, rowKey, selection, sort, columns } = props
  const words = useWords('common')
  const { preferences } = usePreferences()
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false })
  const shown = isPhone ? columns.filter(({ isOnPhone }, index) => index === 0 || isOnPhone) : columns
  const below = isPhone ? placeBelow(columns, shown) : []
  const scroller = useRef<HTMLDivElement>(null)
  const rowHeight = (below.length > 0 ? TALL_ROW : ROW)[preferences.isCompact ? 'compact' : 'normal']
  const virtualizer = useVirtualizer({
    count: source.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
  })
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  const items = virtualizer.getVirtualItems()
  useLoadMore(source, items.at(-1)?.index ?? 0)
  const toggle = (key: string) => selection?.onChange(withToggled(selection.keys, key))
  const keys = useRowKeys({
    count: source.rows.length,
    scrollTo: (index) => virtualizer.scrollToIndex(index),
    onOpen: (index) => props.onOpen(source.rows[index]!),
    onToggle: (index) => toggle(rowKey(source.rows[index]!)),
  })
  const template = [selection && '36px', ...shown.map(({ width }) => width ?? 'minmax(96px, 1fr)')]
  const isAllSelected = selection !== null && source.rows.every((row) => selection.keys.has(rowKey(row)))
  return (
    <div ref={scroller} className={styles.scroller} data-selectable={selection !== null || undefined}>
      <div
        role="grid"
        className={styles.grid}
        aria-label={props.label}
        aria-rowcount={source.hasMore ? -1 : source.rows.length + 1}
        aria-multiselectable={selection === null ? undefined : true}
        style={{ '--columns': template.filter(Boolean).join(' ') } as CSSProperties}
        onKeyDown={keys.onKeyDown}
      >
        <div role="rowgroup" className={styles.head}>
          <div role="row" aria-rowindex={1} className={styles.row}>
            {selection !== null && (
              <div role="columnheader" className={styles.check}>
                <Checkbox
                  aria-label={words.selectAll}
                  checked={isAllSelected}
                  indeterminate={selection.keys.size > 0 && !isAllSelected}
                  onChange={() =>
                    selection.onChange(isAllSelected ? new Set() : new Set(source.rows.map(rowKey)))
                  }
                />
              </div>
            )}
            {shown.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} />
            ))}
          </div>
        </div>
        <div role="rowgroup" className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start, key }) => (
            <TableRow
              key={key}
              {...props}
              columns={shown}
              below={below}
              row={source.rows[index]!}
              index={index}
              top={start}
              height={rowHeight}
              isActive={index === keys.active}
              onFocus={() => keys.setActive(index)}
              onToggle={toggle}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

interface Below<Row> {
  column: Column<Row>
  /** Id of the column below whose value it stands. */
  anchor: string
}

/** Below a column that the user has hidden, nothing would be seen: the first column always is. */
const placeBelow = <Row,>(columns: Column<Row>[], shown: Column<Row>[]): Below<Row>[] =>
  columns.flatMap((column) => {
    if (column.belowOnPhone === undefined) return []
    const isThere = shown.some(({ id }) => id === column.belowOnPhone)
    return [{ column, anchor: isThere ? column.belowOnPhone : shown[0]!.id }]
  })

interface RowProps<Row> extends Props<Row> {
  columns: Column<Row>[]
  /** Columns that are shown in the second line of a row. */
  below: Below<Row>[]
  row: Row
  index: number
  top: number
  height: number
  isActive: boolean
  onFocus: () => void
  onToggle: (key: string) => void
}

function TableRow<Row>(props: RowProps<Row>) {
  const { row, index, columns, below, selection, rowKey, rowName } = props
  const words = useWords('common')
  const key = rowKey(row)
  const isSelected = selection?.keys.has(key) ?? false
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selection === null ? undefined : isSelected}
      className={styles.row}
      data-row={index}
      data-opens={(props.rowLink ?? props.onRowOpen) !== undefined || undefined}
      tabIndex={props.isActive ? 0 : -1}
      style={{ transform: `translateY(${props.top}px)`, height: props.height }}
      onFocus={props.onFocus}
      onClick={(event) => {
        const isOwnTarget = (event.target as Element).closest('a, button, input, label') !== null
        if (!isOwnTarget && getSelection()?.isCollapsed !== false) props.onOpen(row)
      }}
    >
      {selection !== null && (
        <div role="gridcell" className={styles.check}>
          <Checkbox
            aria-label={words.selectRow(rowName(row))}
            checked={isSelected}
            tabIndex={-1}
            onChange={() => props.onToggle(key)}
          />
        </div>
      )}
      {columns.map(({ id, align, render }) => (
        <div role="gridcell" key={id} className={styles.cell} data-align={align}>
          {render(row)}
          {below
            .filter(({ anchor }) => anchor === id)
            .map(({ column }) => (
              <div key={column.id} className={styles.below}>
                {column.render(row)}
              </div>
            ))}
        </div>
      ))}
    </div>
  )
}

function useLoadMore<Row>({ rows, hasMore, isLoadingMore, loadMore }: Props<Row>['source'], last: number) {
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - OVERSCAN - 1) loadMore()
  }, [hasMore, isLoadingMore, last, rows.length, loadMore])
}

function withToggled(keys: ReadonlySet<string>, key: string): Set<string> {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return next
}
