import { Copy } from './Copy.tsx'
import styles from './Id.module.css'

/** An id, a key or an address: monospace, isolated, cut with a title, to copy. */
export const Id = ({ value, name, isCopied = true }: { value: string; name: string; isCopied?: boolean }) => (
  <span className={styles.id}>
    <code className={styles.text} title={value}>
      <bdi>{value}</bdi>
    </code>
    {isCopied && <Copy text={value} name={name} />}
  </span>
)

/** A name that somebody chose: isolated, cut with a title. */
export const Name = ({ children }: { children: string }) => (
  <span className={styles.text} title={children}>
    <bdi>{children}</bdi>
  </span>
)
