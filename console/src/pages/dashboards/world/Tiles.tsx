import { useEffect, useState } from 'react'
import { useWords } from '../../../words/words.tsx'
import { listTiles, type TileSource } from './tile-source.ts'
import type { View } from './view.ts'
import styles from './World.module.css'

interface Props {
  source: TileSource
  view: View
  /** Size of the widget in pixels. */
  size: { width: number; height: number }
}

/** How often missing tiles are requested again. */
const RETRY_MS = 60_000

const none: ReadonlySet<string> = new Set()

const percent = (share: number) => `${share * 100}%`

/** The tiles below the pins, with the words of their owner. Where one is missing, the outline stays until it is loaded. */
export function Tiles({ source, view, size }: Props) {
  const words = useWords('dashboards')
  const [missing, setMissing] = useState<ReadonlySet<string>>(none)
  const hasMissing = missing.size > 0
  useEffect(() => {
    if (!hasMissing) return undefined
    const retry = () => setMissing(none)
    const timer = setInterval(retry, RETRY_MS)
    window.addEventListener('online', retry)
    return () => {
      clearInterval(timer)
      window.removeEventListener('online', retry)
    }
  }, [hasMissing])
  const tiles = listTiles(source, view, size)
  const isIncomplete = tiles.some(({ address }) => missing.has(address))
  return (
    <>
      {tiles
        .filter(({ address }) => !missing.has(address))
        .map(({ address, left, top, width, height }) => (
          <img
            key={address}
            className={styles.tile}
            // Some map servers ask from which site they are used; they get its origin and no more.
            referrerPolicy="origin"
            src={address}
            alt=""
            draggable={false}
            style={{ left: percent(left), top: percent(top), width: percent(width), height: percent(height) }}
            onError={() => setMissing((present) => new Set([...present, address]))}
          />
        ))}
      <p className={styles.attribution}>
        <bdi>{source.attribution}</bdi>
        {isIncomplete && ` · ${words.tilesMissing}`}
      </p>
    </>
  )
}
