/** Counts the devices of a slot, with raw and derived keys together. */
export const sumKinds = ({ bootstrap, derived }: { bootstrap: number; derived: number }) =>
  bootstrap + derived
