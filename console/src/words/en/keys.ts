const some = (count: number, one: string, many: string) => (count === 1 ? one : many)

/** Texts about bootstrap keys and derived keys. */
export default {
  pageTitle: 'Keys',
  what: 'With its key a device asks for its settings. Generate the key of a group, and derive from it the keys of its devices.',
  openGroup: 'Open the group',
  title: 'Keys of the group',
  emptyText: 'There is no key yet, so no device can ask. Generate the first one.',
  oneText:
    'Devices ask with this key, or with one derived from it. To replace it, generate a second key, give it to the devices, then flip.',
  fullText:
    'Both keys open. Once the devices use the second one, flip: it becomes the first, and the other is gone.',
  slot: 'Slot',
  slots: { primary: 'Primary', secondary: 'Secondary' },
  key: 'Key',
  made: 'Generated',
  lastUsed: 'Last used',
  emptySlot: 'empty',
  hidden: 'hidden',
  neverUsed: 'never',
  show: 'Show keys',
  hide: 'Hide keys',
  hidesAgain: 'Hidden again after a minute.',
  generate: 'Generate key',
  generateSecond: 'Generate second key',
  flip: 'Flip keys',
  flipTitle: 'Flip the keys?',
  flipText:
    'The secondary key becomes the primary one. The present primary key is invalid from that moment, for good: nothing brings it back.',
  lockedOut: (count: number, shown: string) =>
    some(
      count,
      'One device still uses the primary key. It gets no settings until it has the other.',
      `${shown} devices still use the primary key. They get no settings until they have the other.`,
    ),
  lockedOutBefore: (count: number, shown: string) =>
    some(
      count,
      'One device used a key that an earlier flip removed. It is locked out already.',
      `${shown} devices used a key that an earlier flip removed. They are locked out already.`,
    ),
  mayBeLockedOut: (count: number, shown: string) =>
    some(
      count,
      'One device has never asked. Nobody knows which key it has.',
      `${shown} devices have never asked. Nobody knows which key they have.`,
    ),
  unaffected: (count: number, shown: string) =>
    some(
      count,
      'One device uses the secondary key already and notices nothing.',
      `${shown} devices use the secondary key already and notice nothing.`,
    ),
  onlyIfReady: 'Only if no device is locked out',
  onlyIfReadyHint: 'Otherwise nothing is changed, and the devices are named.',
  readiness: 'Who uses which key',
  readinessText: 'By the last settings request of each device. Each number leads to its devices.',
  noDevices: 'There is no device in this group yet.',
  noSecond: 'There is no second key, so there is nothing to flip to.',
  readyToFlip: 'Ready to flip: every device used the secondary key last',
  notReady: (ready: string, all: string) =>
    `Not ready to flip: ${ready} of ${all} used the secondary key last`,
  usedLast: 'Used last',
  kinds: { derived: 'Derived', bootstrap: 'Group key' },
  places: {
    primary: 'Primary key',
    secondary: 'Secondary key',
    replaced: 'A key that is gone',
    unseen: 'Never asked',
  },
  all: 'All',
  devices: 'Devices',
  device: 'Device',
  policyTitle: 'Accepted keys',
  derivedOnlyText:
    'Only derived keys open. Each opens one device, so that a stolen device does not open the group.',
  anyText:
    'The key of the group opens too. Whoever takes it out of one device can pass for every device of the group.',
  acceptAny: 'Accept the group key too',
  acceptDerived: 'Accept derived keys only',
  acceptDerivedTitle: 'Accept derived keys only?',
  acceptDerivedText: 'The key of the group itself is refused from then on, like a wrong one.',
  rawLockedOut: (count: number, shown: string) =>
    some(
      count,
      'One device sent the group key last. It gets no settings until it sends its derived key.',
      `${shown} devices sent the group key last. They get no settings until they send their derived keys.`,
    ),
  rawUnseen: (count: number, shown: string) =>
    some(
      count,
      'One device has never asked. Nobody knows what it will send.',
      `${shown} devices have never asked. Nobody knows what they will send.`,
    ),
  deriveTitle: 'Keys for the factory',
  deriveText:
    'Each device gets a key of its own, derived from the key of the group, which need not leave the platform. The devices need not be registered yet. Each has an entry in the audit log.',
  ids: 'Device ids',
  idsHint: 'One a line, CSV with the column device_id, or JSON; up to 10,000.',
  fromFile: 'From a file',
  derive: 'Derive keys',
  deriveCount: (count: number, shown: string) => some(count, 'Derive its key', `Derive ${shown} keys`),
  repeated: (count: string) => `${count} repeated, taken once`,
  wrongLine: (line: string, text: string) =>
    `Line ${line}: “${text}” is no device id. Use 1 to 128 letters, digits, “.”, “_” or “-”.`,
  tooMany: (count: string) => `These are ${count}. At most 10,000 at a time.`,
  derived: (count: string) => `${count} keys are derived. Save them now: they are kept nowhere.`,
  saveCsv: 'Save as CSV',
  saveLines: 'Save as JSON lines',
}
