/** One transition of a state machine. An event without a row for the present state changes nothing. */
export interface Transition<State extends string, Event extends string = string> {
  from: State
  event: Event
  to: State
}

/** @returns undefined if the event changes nothing */
export const stateAfter = <State extends string, Event extends string>(
  table: readonly Transition<State, Event>[],
  state: State,
  event: Event,
): State | undefined => table.find((row) => row.from === state && row.event === event)?.to

/** The states in which the event changes something. */
export const statesBefore = <State extends string, Event extends string>(
  table: readonly Transition<State, Event>[],
  event: Event,
): State[] => table.filter((row) => row.event === event).map((row) => row.from)
