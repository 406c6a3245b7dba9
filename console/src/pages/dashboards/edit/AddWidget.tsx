import { Button, Menu } from '@mantine/core'
import { Icon } from '../../../parts/Icon.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Board } from '../board/board.ts'
import { findPlace } from '../grid/grid.ts'
import type { WidgetKind } from '../widgets/kind.ts'
import { kinds } from '../widgets/kinds.ts'

interface Props {
  board: Board
  onChange: (board: Board) => void
  onAdded: (widgetId: string) => void
}

/** Menu of the kinds of widgets. A new one takes the first free place. */
export function AddWidget({ board, onChange, onAdded }: Props) {
  const words = useWords('dashboardEditor')
  const names = useWords('dashboards').kinds
  const add = ({ kind, size, initial }: WidgetKind) => {
    const id = crypto.randomUUID?.() ?? `w${Date.now().toString(36)}`
    const position = findPlace(board.widgets, { ...size, w: Math.min(size.w, board.columns) }, board.columns)
    onChange({ ...board, widgets: [...board.widgets, { id, kind, position, options: { ...initial } }] })
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
