import { useVirtualizer } from '@tanstack/react-virtual'
import { type DragEvent, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useExplanation } from '../../parts/Refusal.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Assets.module.css'
import { hasDragged, readDragged, writeDragged } from './dragged.ts'
import { type Place, placeKey, placeOf, type TreeChild } from './place.ts'
import type { Tree, TreeRow } from './use-tree.ts'

interface Props {
  tree: Tree
  label: string
  selected: Place | null
  /** Called with null for the first row, which is the top of the tree. */
  onSelect: (place: Place | null, entry: TreeChild | undefined) => void
  /** Label of the first row. */
  topLabel: string
  /** Called when entries are dropped onto a place; without it, entries cannot be dragged. */
  onDrop?: (things: TreeChild[], target: Place | null, name: string) => void
}

const ROW = 32
const INDENT = 16
/** Deeper levels are not indented further; their rows show the number of the level. */
const INDENTED_LEVELS = 8
const OVERSCAN = 12

/** Tree with virtual rows. The arrow keys move, open and close; Enter selects. */
export function PlaceTree(props: Props) {
  const { tree, selected, onSelect, label, topLabel } = props
  const words = useWords('assets')
  const scroller = useRef<HTMLDivElement>(null)
  const id = useId()
  const [active, setActive] = useState(0)
  const count = tree.rows.length + 1
  const present = Math.min(active, count - 1)
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: OVERSCAN,
  })
  const move = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index))
    setActive(next)
    virtualizer.scrollToIndex(next)
  }
  const choose = (index: number) => {
    setActive(index)
    const row = tree.rows[index - 1]
    if (index === 0) {
      tree.setRoot(null)
      onSelect(null, undefined)
    } else if (row?.kind === 'entry') onSelect(placeOf(row.entry), row.entry)
    else if (row !== undefined) tree.loadMore(row.key)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const row = tree.rows[present - 1]
    const isOpen = row?.kind === 'entry' && row.isOpen
    const canOpen = row?.kind === 'entry' && row.entry.hasChildren && !row.isOpen
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(present + 1),
      ArrowUp: () => move(present - 1),
      Home: () => move(0),
      End: () => move(count - 1),
      ArrowRight: () => (canOpen ? tree.toggle(row.key) : isOpen && move(present + 1)),
      ArrowLeft: () => (isOpen ? tree.toggle(row.key) : move(findParent(tree.rows, present - 1) + 1)),
      Enter: () => choose(present),
      ' ': () => choose(present),
    }
    const run = keys[event.key]
    if (run === undefined) return
    event.preventDefault()
    run()
  }
  return (
    <div ref={scroller} className={styles.treeScroller}>
      <div
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={`${id}-${present}`}
        className={styles.tree}
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const shared = {
            id: `${id}-${index}`,
            top: start,
            isActive: index === present,
            onChoose: () => choose(index),
          }
          const row = tree.rows[index - 1]
          if (row?.kind === 'more')
            return <MoreRow key={`more ${row.key}`} {...shared} row={row} tree={tree} />
          if (row !== undefined)
            return <EntryRow key={`${index} ${row.key}`} {...shared} {...props} row={row} />
          return (
            <Row
              key="top"
              {...shared}
              depth={0}
              isSelected={selected === null}
              drop={{ onDrop: props.onDrop, target: null, name: topLabel }}
            >
              <span className={styles.fold} />
              <Icon name="assets" />
              <span className={styles.entryName}>{topLabel}</span>
              {tree.root !== null && <span className={styles.level}>{words.levelsAbove}</span>}
            </Row>
          )
        })}
      </div>
      {tree.isLoading && <Loading rows={4} />}
      {tree.error !== null && <Failed error={tree.error} onRetry={tree.reload} />}
    </div>
  )
}

/** Index of the parent of a row; -1 stands for the first row, the top of the tree. */
function findParent(rows: TreeRow[], index: number): number {
  const depth = rows[index]?.depth ?? 0
  let at = index - 1
  while (at >= 0 && rows[at]!.depth >= depth) at--
  return at
}

interface RowProps {
  id: string
  top: number
  depth: number
  isActive: boolean
  isSelected: boolean
  isOpen?: boolean
  onChoose: () => void
  dragged?: TreeChild
  drop: { onDrop: Props['onDrop']; target: Place | null; name: string }
  title?: string
  children: ReactNode
}

function Row(props: RowProps) {
  const { drop, dragged } = props
  const [isOver, setOver] = useState(false)
  const canTake = (event: DragEvent) => drop.onDrop !== undefined && hasDragged(event.dataTransfer)
  return (
    <div
      role="treeitem"
      id={props.id}
      aria-level={props.depth + 1}
      aria-selected={props.isSelected}
      aria-expanded={props.isOpen}
      className={styles.entry}
      data-active={props.isActive || undefined}
      data-over={isOver || undefined}
      title={props.title}
      style={{
        transform: `translateY(${props.top}px)`,
        paddingLeft: 4 + Math.min(props.depth, INDENTED_LEVELS) * INDENT,
      }}
      onClick={props.onChoose}
      draggable={dragged !== undefined && drop.onDrop !== undefined}
      onDragStart={(event) => dragged !== undefined && writeDragged(event.dataTransfer, [dragged])}
      onDragOver={(event) => {
        if (!canTake(event)) return
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!canTake(event)) return
        event.preventDefault()
        setOver(false)
        drop.onDrop?.(readDragged(event.dataTransfer), drop.target, drop.name)
      }}
    >
      {props.children}
    </div>
  )
}

type Shared = Pick<RowProps, 'id' | 'top' | 'isActive' | 'onChoose'>

function EntryRow(props: Shared & Props & { row: Extract<TreeRow, { kind: 'entry' }> }) {
  const { row, tree, selected, onDrop } = props
  const words = useWords('assets')
  const { entry, depth, isOpen } = row
  const place = placeOf(entry)
  return (
    <Row
      {...props}
      depth={depth}
      isSelected={placeKey(selected) === row.key}
      isOpen={entry.hasChildren ? isOpen : undefined}
      dragged={entry}
      drop={{ onDrop, target: place, name: entry.displayName }}
      title={entry.displayName}
    >
      <span
        className={styles.fold}
        data-fold={entry.hasChildren || undefined}
        onClick={(event) => {
          if (!entry.hasChildren) return
          event.stopPropagation()
          tree.toggle(row.key)
        }}
      >
        {entry.hasChildren && <Icon name={isOpen ? 'down' : 'right'} size={12} />}
      </span>
      <Icon name={entry.type === 'NODE' ? 'node' : 'assets'} />
      <span className={styles.entryName}>
        <bdi>{entry.displayName}</bdi>
      </span>
      {depth > INDENTED_LEVELS && <span className={styles.level}>{words.level(depth + 1)}</span>}
    </Row>
  )
}

/** Last row of a level with more pages, which loads the next page when it comes into view. */
function MoreRow({ row, tree, ...shared }: Shared & { row: Extract<TreeRow, { kind: 'more' }>; tree: Tree }) {
  const words = useWords('assets')
  const explain = useExplanation()
  const { level, key } = row
  const { loadMore } = tree
  const isWanted = !level.isLoading && level.error === null
  useEffect(() => {
    if (isWanted) loadMore(key)
  }, [isWanted, loadMore, key])
  const isFailed = level.error !== null
  return (
    <Row
      {...shared}
      depth={row.depth}
      isSelected={false}
      drop={{ onDrop: undefined, target: null, name: '' }}
    >
      <span className={styles.fold} />
      <span className={styles.level}>
        {isFailed ? `${explain(level.error).reason} ${words.loadAgain}` : words.loadingLevel}
      </span>
    </Row>
  )
}
