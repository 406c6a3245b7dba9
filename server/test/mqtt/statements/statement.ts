/** The normative statements of a version of MQTT, each in our own words. */

/** By number, without `MQTT-`. A text says what a sequence has to show; otherwise there is a reason why none does. */
export type Statements = Record<string, string | Unshown>

export interface Unshown {
  says: string
  because: string
}

/** It binds clients; a server cannot break it. */
export const client = (says: string): Unshown => ({ says, because: 'It binds the client.' })
export const unshown = (says: string, because: string): Unshown => ({ says, because })
