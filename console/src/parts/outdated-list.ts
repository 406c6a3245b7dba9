import styles from './OutdatedList.module.css'

/** Props of a list that still has what an earlier search has found: what is clicked there may move away. */
export const markOutdated = (isOutdated: boolean, className = '') => ({
  className: isOutdated ? `${className} ${styles.outdated}` : className,
  'aria-busy': isOutdated,
})

/** The same for a field of Mantine with a list of options. */
export const markOptions = (isOutdated: boolean) => ({
  classNames: { options: isOutdated ? styles.outdated! : '' },
  'aria-busy': isOutdated,
})
