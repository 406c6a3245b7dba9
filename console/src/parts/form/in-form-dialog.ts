import { createContext } from 'react'

/** Whether a form stands in a `FormDialog`, which guards it itself. */
export const IsInFormDialog = createContext(false)
