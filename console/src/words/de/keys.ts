import type { Translation } from '../catalogue.ts'

const some = (count: number, one: string, many: string) => (count === 1 ? one : many)

const words: Translation<'keys'> = {
  pageTitle: 'Schlüssel',
  what: 'Mit seinem Schlüssel fragt ein Gerät nach seinen Einstellungen. Erzeugen Sie den Schlüssel einer Gruppe, und leiten Sie daraus die Schlüssel ihrer Geräte ab.',
  openGroup: 'Gruppe öffnen',
  title: 'Schlüssel der Gruppe',
  emptyText: 'Es gibt noch keinen Schlüssel, also kann kein Gerät fragen. Erzeugen Sie den ersten.',
  oneText:
    'Geräte fragen mit diesem Schlüssel oder mit einem daraus abgeleiteten. Um ihn zu ersetzen, erzeugen Sie einen zweiten, geben ihn den Geräten und tauschen dann.',
  fullText:
    'Beide Schlüssel öffnen. Sobald die Geräte den zweiten benutzen, tauschen Sie: Er wird der erste, und der andere ist weg.',
  slot: 'Platz',
  slots: { primary: 'Erster', secondary: 'Zweiter' },
  key: 'Schlüssel',
  made: 'Erzeugt',
  lastUsed: 'Zuletzt benutzt',
  emptySlot: 'leer',
  hidden: 'verborgen',
  neverUsed: 'nie',
  show: 'Schlüssel zeigen',
  hide: 'Schlüssel verbergen',
  hidesAgain: 'Nach einer Minute wieder verborgen.',
  generate: 'Schlüssel erzeugen',
  generateSecond: 'Zweiten Schlüssel erzeugen',
  flip: 'Schlüssel tauschen',
  flipTitle: 'Schlüssel tauschen?',
  flipText:
    'Der zweite Schlüssel wird der erste. Der jetzige erste ist von da an ungültig, für immer: Nichts bringt ihn zurück.',
  lockedOut: (count, shown) =>
    some(
      count,
      'Ein Gerät benutzt noch den ersten Schlüssel. Es bekommt keine Einstellungen, bis es den anderen hat.',
      `${shown} Geräte benutzen noch den ersten Schlüssel. Sie bekommen keine Einstellungen, bis sie den anderen haben.`,
    ),
  lockedOutBefore: (count, shown) =>
    some(
      count,
      'Ein Gerät benutzte einen Schlüssel, den ein früherer Tausch entfernt hat. Es ist schon ausgesperrt.',
      `${shown} Geräte benutzten einen Schlüssel, den ein früherer Tausch entfernt hat. Sie sind schon ausgesperrt.`,
    ),
  mayBeLockedOut: (count, shown) =>
    some(
      count,
      'Ein Gerät hat noch nie gefragt. Niemand weiß, welchen Schlüssel es hat.',
      `${shown} Geräte haben noch nie gefragt. Niemand weiß, welchen Schlüssel sie haben.`,
    ),
  unaffected: (count, shown) =>
    some(
      count,
      'Ein Gerät benutzt schon den zweiten Schlüssel und merkt nichts.',
      `${shown} Geräte benutzen schon den zweiten Schlüssel und merken nichts.`,
    ),
  onlyIfReady: 'Nur wenn kein Gerät ausgesperrt wird',
  onlyIfReadyHint: 'Sonst ändert sich nichts, und die Geräte werden genannt.',
  readiness: 'Wer welchen Schlüssel benutzt',
  readinessText: 'Nach der letzten Frage jedes Geräts nach Einstellungen. Jede Zahl führt zu ihren Geräten.',
  noDevices: 'In dieser Gruppe ist noch kein Gerät.',
  noSecond: 'Es gibt keinen zweiten Schlüssel, also nichts zu tauschen.',
  readyToFlip: 'Bereit zum Tausch: Jedes Gerät benutzte zuletzt den zweiten Schlüssel',
  notReady: (ready, all) =>
    `Nicht bereit zum Tausch: ${ready} von ${all} benutzten zuletzt den zweiten Schlüssel`,
  usedLast: 'Zuletzt benutzt',
  kinds: { derived: 'Abgeleitet', bootstrap: 'Gruppenschlüssel' },
  places: {
    primary: 'Erster Schlüssel',
    secondary: 'Zweiter Schlüssel',
    replaced: 'Entfernter Schlüssel',
    unseen: 'Nie gefragt',
  },
  all: 'Alle',
  devices: 'Geräte',
  device: 'Gerät',
  policyTitle: 'Erlaubte Schlüssel',
  derivedOnlyText:
    'Nur abgeleitete Schlüssel öffnen. Jeder öffnet ein Gerät, sodass ein gestohlenes Gerät nicht die Gruppe öffnet.',
  anyText:
    'Auch der Schlüssel der Gruppe öffnet. Wer ihn aus einem Gerät holt, kann sich als jedes Gerät der Gruppe ausgeben.',
  acceptAny: 'Auch den Gruppenschlüssel annehmen',
  acceptDerived: 'Nur abgeleitete Schlüssel annehmen',
  acceptDerivedTitle: 'Nur abgeleitete Schlüssel annehmen?',
  acceptDerivedText: 'Der Schlüssel der Gruppe selbst wird von da an abgelehnt wie ein falscher.',
  rawLockedOut: (count, shown) =>
    some(
      count,
      'Ein Gerät sandte zuletzt den Gruppenschlüssel. Es bekommt keine Einstellungen, bis es seinen abgeleiteten sendet.',
      `${shown} Geräte sandten zuletzt den Gruppenschlüssel. Sie bekommen keine Einstellungen, bis sie ihre abgeleiteten senden.`,
    ),
  rawUnseen: (count, shown) =>
    some(
      count,
      'Ein Gerät hat noch nie gefragt. Niemand weiß, was es senden wird.',
      `${shown} Geräte haben noch nie gefragt. Niemand weiß, was sie senden werden.`,
    ),
  deriveTitle: 'Schlüssel für die Fabrik',
  deriveText:
    'Jedes Gerät bekommt einen eigenen Schlüssel, abgeleitet vom Schlüssel der Gruppe, der die Plattform nicht verlassen muss. Die Geräte müssen noch nicht registriert sein. Jedes steht im Audit-Log.',
  ids: 'Gerätekennungen',
  idsHint: 'Eine je Zeile, CSV mit der Spalte device_id, oder JSON; bis zu 10.000.',
  fromFile: 'Aus einer Datei',
  derive: 'Schlüssel ableiten',
  deriveCount: (count, shown) => some(count, 'Seinen Schlüssel ableiten', `${shown} Schlüssel ableiten`),
  repeated: (count) => `${count} doppelt, einmal genommen`,
  wrongLine: (line, text) =>
    `Zeile ${line}: „${text}“ ist keine Gerätekennung. 1 bis 128 Buchstaben, Ziffern, „.“, „_“ oder „-“.`,
  tooMany: (count) => `Das sind ${count}. Höchstens 10.000 auf einmal.`,
  derived: (count) => `${count} Schlüssel sind abgeleitet. Sichern Sie sie jetzt: Sie stehen sonst nirgends.`,
  saveCsv: 'Als CSV sichern',
  saveLines: 'Als JSON-Zeilen sichern',
}

export default words
