const some = (count: number, one: string, many: string) => (count === 1 ? one : many)

/** Texts about device certificates and their authorities. */
export default {
  title: 'Certificates',
  what: 'What devices sign in with instead of keys. They enrol for them with EST and renew them by themselves.',
  tabs: { list: 'Certificates', authorities: 'Authorities' },
  search: 'Device id, whole',
  device: 'Device',
  state: 'State',
  states: {
    issued: 'Not used yet',
    active: 'In use',
    superseded: 'Superseded',
    expired: 'Expired',
    revoked: 'Revoked',
  },
  begins: 'Valid from',
  ends: 'Ends',
  tier: 'Proof of identity',
  tiers: { 1: '1: key of the group', 2: '2: derived key', 3: '3: manufacturer' } as Record<number, string>,
  issued: 'Issued',
  connected: 'First connected',
  superseded: 'Superseded',
  serial: 'Serial number',
  fingerprint: 'Fingerprint (SHA-256)',
  notYet: 'not yet',
  spans: { '7d': 'in the next 7 days', '30d': 'in the next 30 days', '90d': 'in the next 90 days' },
  weekFrom: (date: string) => `in the week from ${date}`,
  cut: 'More than 3,000 of a state end before that time. Choose a shorter span.',
  emptyTitle: 'No certificate yet',
  emptyText: 'Allow devices of a group to enrol under the certificates of that group; they appear here.',
  chooseGroup: 'Choose a group',
  forecast: {
    title: 'What ends when',
    text: (count: number, shown: string, weeks: string) =>
      count === 0
        ? `No certificate that can be used ends in the coming ${weeks} weeks.`
        : some(
            count,
            `One certificate that can be used ends in the coming ${weeks} weeks. Devices renew theirs before.`,
            `${shown} certificates that can be used end in the coming ${weeks} weeks. Devices renew theirs before.`,
          ),
    week: (date: string, count: number, shown: string) =>
      count === 0
        ? `Week from ${date}: none`
        : some(count, `Week from ${date}: one ends`, `Week from ${date}: ${shown} end`),
  },
  panelTitle: 'Certificate',
  savePem: 'Save as PEM',
  groupIsGone: 'Its group was deleted, so that it can be revoked only with its authority.',
  revoke: 'Revoke certificate',
  revokeTitle: 'Revoke this certificate?',
  revokeText: 'It cannot be used any more, and stands on the revocation list.',
  revokeUsedText:
    'Sessions of the device that signed in with it end at once. It cannot be used any more, and stands on the revocation list.',
  revokeAll: 'Revoke all certificates',
  revokeAllTitle: 'Revoke all certificates of this device?',
  revokeAfter:
    'The device stays registered and may enrol again. Remove a stolen device from its group instead. A revocation cannot be undone.',
  revoked: 'Revoked',
  reason: 'Reason',
  reasons: {
    unspecified: 'Not specified',
    key_compromise: 'Its key is known to others',
    ca_compromise: 'The key of the authority is known to others',
    affiliation_changed: 'It has another owner',
    superseded: 'It was replaced',
    cessation_of_operation: 'It is no longer in use',
    privilege_withdrawn: 'It may no longer connect',
  },
  noneTitle: 'No certificate',
  noneText: 'The device has not enrolled for one. It needs none where it signs in with a key.',
  groupSettings: 'Certificates of its group',
  authorities: {
    title: 'Certificate authorities',
    id: 'Id',
    subject: 'Subject',
    kind: 'Kind',
    kinds: { root: 'Root', issuing: 'Issuing' },
    status: 'State',
    states: { active: 'Active', retired: 'Retired', revoked: 'Revoked' },
    origin: 'Origin',
    origins: { built_in: 'Made here', imported: 'Your own' },
    begins: 'Valid from',
    ends: 'Ends',
    retired: 'Retired',
    revoked: 'Revoked',
    notYet: 'not yet',
    emptyTitle: 'No authority yet',
    emptyText:
      'The first one is made when a device first enrols. You can also make it now, or bring your own.',
    makeFirst: 'Make the first authority',
    makeFirstText:
      'Makes a root for 20 years and an issuing authority for 10. Their keys are stored encrypted.',
    rotate: 'Rotate authority',
    rotateText:
      'A new issuing authority below the same root issues from now on. The present one is retired: its certificates connect and renew until they end.',
    import: 'Bring your own',
    importText:
      'Your authority issues from now on. The present one is retired: its certificates connect and renew until they end.',
    certificates: 'Certificates',
    certificatesHint: 'In PEM: that of the issuing authority first, then each issuer up to the root.',
    privateKey: 'Private key',
    privateKeyHint: 'In PEM, not encrypted. It is stored encrypted and never shown.',
    savePem: 'Save its chain as PEM',
    rootText: 'A root is not revoked. Revoke the issuing authority below it.',
    revoke: 'Revoke authority',
    revokeTitle: 'Revoke this authority?',
    revokeText:
      'Every certificate that it issued is revoked with it: those devices are disconnected at once and have to enrol again. This cannot be undone.',
    revokeActiveText:
      'It is the one that issues now. Every certificate that it issued is revoked with it: those devices are disconnected at once and have to enrol again. The next enrolment makes a new authority. This cannot be undone.',
  },
}
