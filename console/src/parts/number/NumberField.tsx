import { NumberInput, type NumberInputProps } from '@mantine/core'
import { useState } from 'react'
import { chooseText, readNumber } from './number-text.ts'

interface Props extends Omit<NumberInputProps, 'value' | 'onChange'> {
  value: number | null
  /** Called with null while the field is empty or the number unfinished, such as `-`. */
  onChange: (value: number | null) => void
}

/**
 * A field for a number or none. It keeps an unfinished number, and one beyond its limits, as it was typed: the form says
 * what is wrong with it.
 */
export function NumberField({ value, onChange, ...props }: Props) {
  const [typed, setTyped] = useState<number | string>(value ?? '')
  return (
    <NumberInput
      clampBehavior="none"
      {...props}
      value={chooseText(typed, value)}
      onChange={(next) => {
        setTyped(next)
        onChange(readNumber(next))
      }}
    />
  )
}
