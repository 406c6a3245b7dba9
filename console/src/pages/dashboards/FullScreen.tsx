import { ActionIcon } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Icon } from '../../parts/Icon.tsx'
import { useWords } from '../../words/words.tsx'

/** Button that shows the board on the whole screen; Escape ends it. */
export function FullScreen() {
  const words = useWords('dashboards')
  const [isFull, setFull] = useState(false)
  useEffect(() => {
    const onChange = () => setFull(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', onChange)
    return () => document.removeEventListener('fullscreenchange', onChange)
  }, [])
  if (!document.fullscreenEnabled) return null
  const label = isFull ? words.leaveFullScreen : words.fullScreen
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      title={label}
      onClick={() =>
        // The whole document: menus and dialogs are no part of the board, and would be hidden behind it.
        void (isFull ? document.exitFullscreen() : document.documentElement.requestFullscreen())
      }
    >
      <Icon name="external" />
    </ActionIcon>
  )
}
