import { Copy } from '../Copy.tsx'
import styles from './CodeBlock.module.css'

/** Code or a payload to read and to copy. */
export const CodeBlock = ({ code, name }: { code: string; name: string }) => (
  <div className={styles.block}>
    <pre className={styles.code} tabIndex={0} aria-label={name}>
      <bdi>{code}</bdi>
    </pre>
    <span className={styles.copy}>
      <Copy text={code} name={name} />
    </span>
  </div>
)
