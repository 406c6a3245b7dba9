import { PickOne } from '../../../parts/pick/PickOne.tsx'
import { useWords } from '../../../words/words.tsx'
import { useObjectFinder } from '../../access/use-object-finder.ts'

interface Props {
  label: string
  value: string | null
  onChange: (nodeId: string) => void
}

/** Select field of a node of the tree. */
export function NodePicker({ label, value, onChange }: Props) {
  const words = useWords('dashboards')
  return (
    <PickOne
      {...useObjectFinder('node')}
      label={label}
      value={value ?? ''}
      onChange={onChange}
      placeholder={words.chooseNode}
    />
  )
}
