import { Button } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useFormat } from '../../format.ts'
import { usePreferences } from '../../preferences.tsx'
import { useWords } from '../../words/words.tsx'
import { Outdated } from '../Outdated.tsx'
import { Empty, Failed, Loading, Notice } from '../State.tsx'
import { BulkBar } from './BulkBar.tsx'
import styles from './DataTable.module.css'
import { TableGrid } from './TableGrid.tsx'
import { Toolbar } from './Toolbar.tsx'
import type { Column, DataTableProps } from './types.ts'

/** The list of every list page. Selection, filters and sorting belong to the page, which keeps them in the address. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { source, rowKey, rowLink, bulk, search, filters = [], fit = 'page' } = props
  const router = useRouter()
  const columns = useShownColumns(props.name, props.columns)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const chosen = source.rows.filter((row) => selected.has(rowKey(row)))
  const isNarrowed =
    Boolean(search?.value) || filters.some(({ value, isRequired }) => value !== '' && !isRequired)
  const isPlain = search === undefined && filters.length === 0 && source.refresh === undefined
  const hasChoice = filters.some(({ isRequired }) => isRequired)
  const isBare =
    !hasChoice && source.rows.length === 0 && !isNarrowed && !source.isLoading && source.error === null
  const open = (row: Row) =>
    rowLink === undefined ? props.onRowOpen?.(row) : void router.navigate(rowLink(row) as never)
  return (
    <section
      className={styles.table}
      data-fit={fit}
      aria-label={props.label}
      aria-busy={source.isOutdated}
      data-outdated={source.isOutdated || undefined}
    >
      {!isBare && !isPlain && <Toolbar {...props} shown={columns} />}
      {props.partial !== undefined && <Notice kind="warning">{props.partial}</Notice>}
      <StaleNotice source={source} />
      {source.isBehind === true && <BehindNotice onShow={source.showNewest} />}
      {bulk !== undefined && chosen.length > 0 && (
        <BulkBar actions={bulk} rows={chosen} onClear={() => setSelected(new Set())} />
      )}
      {source.rows.length > 0 ? (
        <TableGrid
          {...props}
          columns={columns}
          onOpen={open}
          selection={bulk === undefined ? null : { keys: selected, onChange: setSelected }}
        />
      ) : (
        <Nothing {...props} isNarrowed={isNarrowed} />
      )}
      <Footer source={source} />
    </section>
  )
}

function Nothing<Row>({ source, empty, isNarrowed }: DataTableProps<Row> & { isNarrowed: boolean }) {
  const words = useWords('common')
  if (source.isLoading) return <Loading rows={8} />
  if (source.error !== null) return <Failed error={source.error} onRetry={source.refresh} />
  if (isNarrowed) return <Empty icon="search" title={words.noMatchTitle} text={words.noMatchText} />
  return empty
}

/** Rows that are shown stay, and say so, when the newest state cannot be loaded. */
function StaleNotice<Row>({ source }: Pick<DataTableProps<Row>, 'source'>) {
  if (source.error === null || source.rows.length === 0) return null
  return <Outdated error={source.error} onRetry={source.refresh} />
}

function BehindNotice({ onShow }: { onShow: (() => void) | undefined }) {
  const words = useWords('common')
  return (
    <Notice kind="info">
      {words.behind}{' '}
      <Button size="compact-xs" onClick={onShow}>
        {words.showNewest}
      </Button>
    </Notice>
  )
}

function Footer<Row>({ source }: Pick<DataTableProps<Row>, 'source'>) {
  const words = useWords('common')
  const format = useFormat()
  if (source.rows.length === 0) return null
  const count = format.number(source.rows.length)
  return (
    <p className={styles.footer}>
      {source.isOutdated ? words.loading : source.hasMore ? words.rowsSoFar(count) : words.rows(count)}
      {source.asOfMs !== undefined && ` · ${words.asOf(format.time(source.asOfMs))}`}
    </p>
  )
}

function useShownColumns<Row>(name: string, columns: Column<Row>[]): Column<Row>[] {
  const { preferences } = usePreferences()
  const hidden = preferences.hiddenColumns[name]
  return useMemo(
    () =>
      columns.filter(({ id, isOptional }, index) => {
        if (index === 0) return true
        return hidden === undefined ? !isOptional : !hidden.includes(id)
      }),
    [columns, hidden],
  )
}
