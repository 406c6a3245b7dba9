import { TagsInput, type TagsInputProps } from '@mantine/core'

const isSame = (value: string, others: string[]) => others.includes(value)

/** A field for several short texts, confirmed by Enter or by leaving it. Upper and lower case differ. */
export const ValuesInput = (props: TagsInputProps) => (
  <TagsInput
    splitChars={[]}
    acceptValueOnBlur
    isDuplicate={isSame}
    comboboxProps={{ transitionProps: { duration: 0 } }}
    {...props}
  />
)

/** Characters that separate ids, also in a pasted list. */
export const betweenIds = [',', ' ', ';', '\n']
