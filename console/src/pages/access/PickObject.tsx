import { PickOne } from '../../parts/pick/PickOne.tsx'
import { useWords } from '../../words/words.tsx'
import type { ListedType } from './objects.ts'
import { useObjectFinder } from './use-object-finder.ts'

interface Props {
  type: ListedType
  label: string
  value: string
  onChange: (id: string) => void
  error?: string | undefined
}

/** A field for one object of a type. */
export function PickObject({ type, ...field }: Props) {
  const { give: words } = useWords('access')
  return <PickOne {...useObjectFinder(type)} {...field} placeholder={words.choose} />
}
