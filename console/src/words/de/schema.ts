import type { Translation } from '../catalogue.ts'

const words: Translation<'schema'> = {
  asJson: 'Als JSON schreiben',
  asForm: 'Zurück zum Formular',
  notJson: 'Das ist noch kein JSON.',
  none: '–',
  yes: 'ja',
  no: 'nein',
  types: {
    date: 'Ein Tag, etwa 2026-05-31',
    dateTime: 'Ein Zeitpunkt mit seiner Zone, etwa 2026-05-31T14:30:00Z',
    double: 'Eine Zahl',
    duration: 'Eine Dauer, etwa PT1H30M',
    float: 'Eine Zahl',
    integer: 'Eine ganze Zahl',
    long: 'Eine ganze Zahl',
    string: 'Ein Text',
    time: 'Eine Uhrzeit, etwa 14:30:00',
    array: 'Eine Liste, als JSON',
    map: 'Namen mit Werten, als JSON',
    point: 'Ein Punkt in GeoJSON',
  },
  problems: {
    notBoolean: 'Wählen Sie ja oder nein.',
    notNumber: 'Schreiben Sie eine Zahl, mit Punkt vor den Dezimalstellen.',
    notWhole: 'Schreiben Sie eine ganze Zahl.',
    notInteger: 'Schreiben Sie eine ganze Zahl von −2.147.483.648 bis 2.147.483.647.',
    notLong: 'Diese Zahl ist zu groß für JSON.',
    notText: 'Schreiben Sie einen Text.',
    notOption: 'Wählen Sie eine der Möglichkeiten.',
    notDate: 'Schreiben Sie einen Tag als 2026-05-31.',
    notDateTime: 'Schreiben Sie einen Zeitpunkt als 2026-05-31T14:30:00Z.',
    notTime: 'Schreiben Sie eine Uhrzeit als 14:30:00.',
    notDuration: 'Schreiben Sie eine Dauer als PT1H30M.',
    notObject: 'Schreiben Sie ein JSON-Objekt in geschweiften Klammern.',
    notList: 'Schreiben Sie eine JSON-Liste in eckigen Klammern.',
  },
}

export default words
