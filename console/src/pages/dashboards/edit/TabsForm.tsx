import { ActionIcon, Button, TextInput } from '@mantine/core'
import { Icon } from '../../../parts/Icon.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Board } from '../board/board.ts'
import { addTab, listOfTab, mayAddTab, moveTab, removeTab, renameTab } from '../board/tabs.ts'
import styles from './Editor.module.css'

interface Props {
  board: Board
  onChange: (board: Board) => void
  onOpen: (tab: string) => void
}

/** Tabs of the board: their names, their order, and how many widgets each has. */
export function TabsForm({ board, onChange, onOpen }: Props) {
  const words = useWords('dashboardEditor')
  const { tabs } = board
  const add = () => {
    const next = addTab(board, words.newTab)
    onChange(next)
    onOpen(next.tabs.at(-1)!.id)
  }
  return (
    <div className={styles.form}>
      <h2 className={styles.formTitle}>{words.tabs}</h2>
      <p className={styles.note}>{words.tabsText}</p>
      {tabs.map(({ id, title }, index) => {
        const count = listOfTab(board, id).length
        return (
          <div key={id} className={styles.tab}>
            <TextInput
              aria-label={words.tabName(title)}
              autoComplete="off"
              maxLength={256}
              value={title}
              onChange={(event) => onChange(renameTab(board, id, event.currentTarget.value))}
            />
            <ActionIcon
              variant="subtle"
              aria-label={words.moveTabBack(title)}
              disabled={index === 0}
              onClick={() => onChange(moveTab(board, id, -1))}
            >
              <Icon name="back" />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              aria-label={words.moveTabOn(title)}
              disabled={index === tabs.length - 1}
              onClick={() => onChange(moveTab(board, id, 1))}
            >
              <Icon name="right" />
            </ActionIcon>
            <ActionIcon
              variant="subtle"
              aria-label={tabs.length === 1 ? words.removeOnlyTab(title) : words.removeTab(title, count)}
              title={tabs.length === 1 ? words.removeOnlyTab(title) : words.removeTab(title, count)}
              onClick={() => onChange(removeTab(board, id))}
            >
              <Icon name="close" />
            </ActionIcon>
          </div>
        )
      })}
      <div>
        <Button leftSection={<Icon name="plus" />} disabled={!mayAddTab(board)} onClick={add}>
          {words.addTab}
        </Button>
      </div>
    </div>
  )
}
