import { Button, Menu } from '@mantine/core'
import { Icon } from '../../../parts/Icon.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Board } from '../board/board.ts'
import { findTab, listOfTab } from '../board/tabs.ts'
import { findPlace } from '../grid/grid.ts'
import type { WidgetKind } from '../widgets/kind.ts'
import { kinds } from '../widgets/kinds.ts'

interface Props {
  board: Board
  /** The tab that gets the widget. */
  tab: string
  onChange: (board: Board) => void
  onAdded: (widgetId: string) => void
}

/** Menu of the kinds of widgets. A new one takes the first free place. */
export function AddWidget({ board, tab, onChange, onAdded }: Props) {
  const words = useWords('dashboardEditor')
  const names = useWords('dashboards').kinds
  const add = ({ kind, size, initial }: WidgetKind) => {
    const id = crypto.randomUUID?.() ?? `w${Date.now().toString(36)}`
    const open = findTab(board, tab)
    const position = findPlace(
      listOfTab(board, tab),
      { ...size, w: Math.min(size.w, board.columns) },
      board.columns,
    )
    const added = { id, kind, ...(open && { tab: open.id }), position, options: { ...initial } }
    onChange({ ...board, widgets: [...board.widgets, added] })
    onAdded(id)
  }
  return (
    <Menu>
      <Menu.Target>
        <Button variant="filled" leftSection={<Icon name="plus" />}>
          {words.add}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item key={kind.kind} leftSection={<Icon name={kind.icon} />} onClick={() => add(kind)}>
            {names[kind.kind as keyof typeof names]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
