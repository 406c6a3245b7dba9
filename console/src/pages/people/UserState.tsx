import { StateMark } from '../../parts/StateMark.tsx'
import { useWords } from '../../words/words.tsx'

export function UserState({ isDisabled }: { isDisabled: boolean }) {
  const words = useWords('people')
  return (
    <StateMark state={isDisabled ? 'off' : 'good'}>{isDisabled ? words.disabled : words.enabled}</StateMark>
  )
}
