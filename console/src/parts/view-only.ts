import { createContext } from 'react'

/** Whether the page only shows: nothing on it leads to another page or sends something. */
export const ViewOnlyContext = createContext(false)
