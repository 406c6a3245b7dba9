const one = (count: number, single: string, many: string) => (count === 1 ? single : many)

/** Texts of the home page. */
export default {
  title: 'Home',
  attention: 'Needs attention',
  inOrder: 'In order',
  nothing: 'Nothing needs attention.',
  hidden: (names: string) => `You may not see: ${names}.`,
  old: 'The newest numbers could not be loaded. What is shown is older.',
  asOf: (time: string) => `Counted at ${time}`,
  emptyTitle: 'No devices yet',
  emptyText:
    'The first device takes a few minutes: say where it connects, prepare it, and put its id and key into it. The server can simulate one.',
  begin: 'Connect the first device',
  fleet: 'Fleet',
  ingest: 'Messages received',
  perSecond: (count: string) => `${count} per second`,
  freeSpace: 'Free space on disk',
  provider: 'Provider',
  online: 'online',
  offline: 'offline',
  total: 'all',
  alarms: 'Alarms',
  openAlarms: (count: number) => one(count, 'open alarm', 'open alarms'),
  unacknowledged: (count: string) => `${count} not acknowledged`,
  silent: 'Silent devices',
  silentDevices: (count: number) => one(count, 'device was not heard', 'devices were not heard'),
  silentSince: (time: string) => `enabled, and without any message since ${time}`,
  onboarding: 'Onboarding',
  failedAttempts: (count: number) => one(count, 'attempt did not succeed', 'attempts did not succeed'),
  attempts: (refused: string, failed: string, since: string) =>
    `${refused} refused, ${failed} failed since ${since}`,
  deadLetters: 'Messages',
  unreadMessages: (count: number) => one(count, 'message could not be read', 'messages could not be read'),
  fromDevices: (count: number, shown: string) => one(count, 'from one device', `from ${shown} devices`),
  rollouts: 'Rollouts',
  failingRollouts: (count: number) => one(count, 'rollout has failures', 'rollouts have failures'),
  runningRollouts: (count: number) => one(count, 'rollout is running', 'rollouts are running'),
  storage: 'Storage',
  daysLeft: (count: number) =>
    one(Math.round(count), 'day until a disk is full', 'days until a disk is full'),
}
