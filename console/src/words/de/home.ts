import type { Translation } from '../catalogue.ts'

const one = (count: number, single: string, many: string) => (count === 1 ? single : many)

const words: Translation<'home'> = {
  title: 'Übersicht',
  attention: 'Braucht Aufmerksamkeit',
  inOrder: 'In Ordnung',
  nothing: 'Nichts braucht Aufmerksamkeit.',
  hidden: (names) => `Das dürfen Sie nicht sehen: ${names}.`,
  old: 'Die neuesten Zahlen konnten nicht geladen werden. Gezeigt werden ältere.',
  asOf: (time) => `Gezählt um ${time}`,
  emptyTitle: 'Noch keine Geräte',
  emptyText:
    'Das erste Gerät dauert ein paar Minuten: Sagen Sie, wohin es sich verbindet, bereiten Sie es vor, und geben Sie ihm Kennung und Schlüssel. Der Server kann eines simulieren.',
  begin: 'Erstes Gerät verbinden',
  fleet: 'Flotte',
  ingest: 'Empfangene Nachrichten',
  perSecond: (count) => `${count} pro Sekunde`,
  freeSpace: 'Freier Platz',
  provider: 'Provider',
  online: 'online',
  offline: 'offline',
  total: 'alle',
  alarms: 'Alarme',
  openAlarms: (count) => one(count, 'offener Alarm', 'offene Alarme'),
  unacknowledged: (count) => `${count} nicht quittiert`,
  silent: 'Stille Geräte',
  silentDevices: (count) => one(count, 'Gerät schweigt', 'Geräte schweigen'),
  silentSince: (time) => `freigegeben, und ohne jede Nachricht seit ${time}`,
  onboarding: 'Onboarding',
  failedAttempts: (count) => one(count, 'Versuch gelang nicht', 'Versuche gelangen nicht'),
  attempts: (refused, failed, since) => `${refused} abgelehnt, ${failed} gescheitert seit ${since}`,
  deadLetters: 'Nachrichten',
  unreadMessages: (count) =>
    one(count, 'Nachricht konnte nicht gelesen werden', 'Nachrichten konnten nicht gelesen werden'),
  fromDevices: (count, shown) => one(count, 'von einem Gerät', `von ${shown} Geräten`),
  rollouts: 'Rollouts',
  failingRollouts: (count) => one(count, 'Rollout hat Fehlschläge', 'Rollouts haben Fehlschläge'),
  runningRollouts: (count) => one(count, 'Rollout läuft', 'Rollouts laufen'),
  storage: 'Speicher',
  daysLeft: (count) =>
    one(Math.round(count), 'Tag, bis eine Platte voll ist', 'Tage, bis eine Platte voll ist'),
}

export default words
