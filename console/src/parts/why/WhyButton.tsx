import { useWords } from '../../words/words.tsx'
import styles from './WhyButton.module.css'

/**
 * Opens an explanation (a `WhyPanel`) of something missing, denied, late or failed.
 *
 * @param props.isOpen whether the explanation is shown; given if it appears below the button instead of in a panel
 */
export function WhyButton({ onClick, isOpen }: { onClick: () => void; isOpen?: boolean }) {
  const words = useWords('common')
  return (
    <button type="button" className={styles.why} onClick={onClick} aria-expanded={isOpen}>
      {words.why}
    </button>
  )
}
