import type { Translation } from '../catalogue.ts'

const words: Translation<'charts'> = {
  chart: 'Diagramm',
  keys: 'Pfeiltasten bewegen den Cursor, auf und ab wählen die Reihe, Plus und Minus zoomen, Umschalt mit Pfeiltaste verschiebt, 0 setzt zurück.',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  earlier: 'Früher',
  later: 'Später',
  reset: 'Zoom zurücksetzen',
  showTable: 'Tabelle',
  noValue: 'kein Wert',
  mean: 'Mittel',
  envelope: (least: string, greatest: string) => `${least} bis ${greatest}`,
  offline: 'offline',
  series: 'Reihe',
  current: 'Zuletzt',
  least: 'Min.',
  average: 'Mittel',
  greatest: 'Max.',
  time: 'Zeit',
  hide: (name: string) => `${name} ausblenden`,
  show: (name: string) => `${name} einblenden`,
  remove: (name: string) => `${name} entfernen`,
  tableCut: (shown: string, all: string) =>
    `Die ersten ${shown} von ${all} Zeilen. Alle zeigt ein engerer Zeitraum oder der Export.`,
  tableOf: (name: string) => `Werte von ${name}`,
}

export default words
