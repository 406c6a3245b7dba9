import { ActionIcon, Button, TextInput } from '@mantine/core'
import { type MouseEvent, useState } from 'react'
import { Icon } from '../../../../parts/Icon.tsx'
import { NumberField } from '../../../../parts/number/NumberField.tsx'
import { useWords } from '../../../../words/words.tsx'
import { isOnPicture, type MarkerReference, readMarkers } from '../../board/markers.ts'
import { usePicture } from '../../widgets/use-picture.ts'
import type { Variable } from '../../board/board.ts'
import styles from '../Editor.module.css'
import { AssetField } from './AssetFields.tsx'
import type { FieldProps } from './field.ts'

const MOST_MARKERS = 500
/** A thousandth of the picture is finer than a pin. */
const round = (share: number) => Math.round(Math.min(1, Math.max(0, share)) * 1000) / 1000

/** Pins of a map. On a floor plan a click places the chosen pin, and numbers do the same by keyboard. */
export function MarkersField({ options, variables, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  const [chosen, setChosen] = useState(0)
  const resourceId = typeof options.resourceId === 'string' ? options.resourceId : undefined
  const isPlan = resourceId !== undefined
  const { address } = usePicture(resourceId)
  const markers = readMarkers(options)
  const set = (next: MarkerReference[]) => onChange({ markers: next })
  const change = (index: number, changes: Partial<MarkerReference>) =>
    set(markers.with(index, { ...markers[index]!, ...changes }))
  const place = (event: MouseEvent<HTMLImageElement>) => {
    if (markers[chosen] === undefined) return
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
    change(chosen, { x: round((event.clientX - left) / width), y: round((event.clientY - top) / height) })
  }
  const add = () => {
    set([...markers, { assetId: '', ...(isPlan ? { x: 0.5, y: 0.5 } : { latitude: 0, longitude: 0 }) }])
    setChosen(markers.length)
  }
  return (
    <section className={styles.group} aria-label={words.pins}>
      <h3 className={styles.groupTitle}>{words.pins}</h3>
      {address !== null && (
        <div className={styles.plan}>
          {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- the numbers below do the same by keyboard */}
          <img src={address} alt={words.planText} onClick={place} />
          {markers.map(
            (marker, index) =>
              isOnPicture(marker) && (
                <span
                  key={index}
                  className={styles.planPin}
                  style={{ left: `${marker.x * 100}%`, top: `${marker.y * 100}%` }}
                  data-chosen={index === chosen || undefined}
                  aria-hidden
                >
                  {index + 1}
                </span>
              ),
          )}
        </div>
      )}
      {address !== null && markers.length > 0 && <p className={styles.note}>{words.placePin(chosen + 1)}</p>}
      {markers.map((marker, index) => (
        <MarkerForm
          key={index}
          marker={marker}
          number={index + 1}
          variables={variables}
          isPlan={isPlan}
          onChoose={() => setChosen(index)}
          onChange={(changes) => change(index, changes)}
          onRemove={() => {
            set(markers.toSpliced(index, 1))
            setChosen(0)
          }}
        />
      ))}
      {markers.length < MOST_MARKERS && (
        <div>
          <Button leftSection={<Icon name="plus" />} onClick={add}>
            {words.addPin}
          </Button>
        </div>
      )}
    </section>
  )
}

interface MarkerProps {
  marker: MarkerReference
  number: number
  variables: Variable[]
  /** Whether it has a place on a picture, or on the earth. */
  isPlan: boolean
  onChoose: () => void
  onChange: (changes: Partial<MarkerReference>) => void
  onRemove: () => void
}

function MarkerForm({ marker, number, variables, isPlan, onChoose, onChange, onRemove }: MarkerProps) {
  const words = useWords('dashboardEditor')
  const { label = '' } = marker
  return (
    <section className={styles.signal} aria-label={words.pin(number)} onFocus={onChoose}>
      <div className={styles.signalHead}>
        <span className={styles.signalName}>{words.pin(number)}</span>
        <ActionIcon variant="subtle" aria-label={words.removePin(number)} onClick={onRemove}>
          <Icon name="close" />
        </ActionIcon>
      </div>
      <AssetField
        options={{ ...marker }}
        variables={variables}
        onChange={(owner) => onChange(owner as Partial<MarkerReference>)}
      />
      <TextInput
        label={words.label}
        autoComplete="off"
        maxLength={256}
        value={label}
        onChange={(event) => onChange({ label: event.currentTarget.value || undefined })}
      />
      <div className={styles.pair}>
        {isPlan ? (
          <PlanPlace marker={marker} onChange={onChange} />
        ) : (
          <EarthPlace marker={marker} onChange={onChange} />
        )}
      </div>
    </section>
  )
}

type PlaceProps = Pick<MarkerProps, 'marker' | 'onChange'>

function PlanPlace({ marker: { x, y }, onChange }: PlaceProps) {
  const words = useWords('dashboardEditor')
  const share = (value: number | undefined) => (value === undefined ? null : Math.round(value * 1000) / 10)
  return (
    <>
      <NumberField
        label={words.fromLeft}
        min={0}
        max={100}
        clampBehavior="blur"
        value={share(x)}
        onChange={(value) => value !== null && onChange({ x: round(value / 100) })}
      />
      <NumberField
        label={words.fromTop}
        min={0}
        max={100}
        clampBehavior="blur"
        value={share(y)}
        onChange={(value) => value !== null && onChange({ y: round(value / 100) })}
      />
    </>
  )
}

function EarthPlace({ marker: { latitude, longitude }, onChange }: PlaceProps) {
  const words = useWords('dashboardEditor')
  return (
    <>
      <NumberField
        label={words.latitude}
        min={-90}
        max={90}
        clampBehavior="blur"
        value={latitude ?? null}
        onChange={(value) => value !== null && onChange({ latitude: value })}
      />
      <NumberField
        label={words.longitude}
        min={-180}
        max={180}
        clampBehavior="blur"
        value={longitude ?? null}
        onChange={(value) => value !== null && onChange({ longitude: value })}
      />
    </>
  )
}
