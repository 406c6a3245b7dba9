import type { Translation } from '../catalogue.ts'

const words: Translation<'onboarding'> = {
  title: 'Onboarding',
  what: 'Von der Fabrik zur ersten Verbindung: Ein Gerät verlässt sie mit einer Id und einem Schlüssel und fragt hier nach allem anderen.',
  begin: 'Das erste Gerät verbinden',
  steps: {
    targets: 'Sagen Sie, wohin sich Geräte verbinden: die Broker, und wer ihre Schlüssel macht.',
    groups: 'Sagen Sie, was ein Los von Geräten gesagt bekommt: eine Vorlage mit Variablen.',
    keys: 'Erzeugen Sie den Schlüssel einer Gruppe, und leiten Sie daraus die Schlüssel ab, die in die Geräte kommen.',
    devices: 'Registrieren Sie die Geräte, einzeln oder als Datei, und stellen Sie sie bereit.',
  },
  laterTitle: 'Danach',
  later: {
    certificates: 'Zertifikate statt Schlüsseln: was wann abläuft, und Widerruf.',
    trace: 'Jeder Versuch eines Geräts, und warum er abgelehnt wurde.',
  },
  counts: {
    targets: (count, shown) => (count === 1 ? 'Ein Ziel' : `${shown} Ziele`),
    groups: (count, shown) => (count === 1 ? 'Eine Gruppe' : `${shown} Gruppen`),
    disabled: (count) => `${count} gesperrt`,
  },
  targets: 'Ziele',
  groups: 'Gruppen',
  keys: 'Schlüssel',
  devices: 'Geräte',
  certificates: 'Zertifikate',
  trace: 'Verlauf',
  firstDevice: 'Erstes Gerät',
  group: 'Gruppe',
  chooseGroup: 'Gruppe wählen',
  noGroupTitle: 'Noch keine Gruppe',
  noGroupText:
    'Eine Gruppe enthält, was ihre Geräte gesagt bekommen, und den Schlüssel, mit dem sie danach fragen.',
  createGroup: 'Gruppe anlegen',
  targetHidden: 'Sie dürfen Ziele nicht sehen. Statt des Namens steht hier die Id des Ziels.',
  first1000: 'Hier stehen nur die ersten 1.000.',
}

export default words
