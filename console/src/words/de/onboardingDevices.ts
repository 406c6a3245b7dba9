import type { Translation } from '../catalogue.ts'

const some = (count: number, one: string, many: string) => (count === 1 ? one : many)

const places = { primary: 'Erster', secondary: 'Zweiter', replaced: 'Ein entfernter' }
const kinds = { bootstrap: 'Gruppenschlüssel', derived: 'abgeleitet' }

const words: Translation<'onboardingDevices'> = {
  title: 'Onboarding-Geräte',
  what: 'Geräte, die nach ihren Einstellungen fragen dürfen. Jedes muss hier registriert und bereitgestellt sein: Dann hat es einen Client bei seinem Provider.',
  search: 'Nach Id suchen',
  id: 'Gerätekennung',
  idHint: 'So, wie das Gerät sie hat. Buchstaben, Ziffern, „.“, „_“ und „-“.',
  idRule: '1 bis 128 Buchstaben, Ziffern, „.“, „_“ oder „-“.',
  status: 'Zustand',
  states: { registered: 'Registriert', provisioned: 'Bereitgestellt', deleted: 'Beim Provider gelöscht' },
  lastSettings: 'Zuletzt gefragt',
  never: 'nie',
  key: 'Schlüssel',
  usedKey: (place, kind) => `${places[place]}, ${kinds[kind]}`,
  keyLists: {
    not_ready: 'Nicht bereit zum Tausch',
    old_key: 'Benutzte zuletzt den ersten Schlüssel',
    replaced_key: 'Benutzte einen entfernten Schlüssel',
    raw_key: 'Sandte den Gruppenschlüssel selbst',
    unseen: 'Nie gefragt',
    ready: 'Benutzte zuletzt den zweiten Schlüssel',
  },
  registered: 'Registriert',
  provisioned: 'Bereitgestellt',
  register: 'Gerät registrieren',
  registerIn: (group) => `Gerät in ${group} registrieren`,
  provisionToo: 'Sofort bereitstellen',
  provisionHint: 'Legt seinen Client beim Provider an. Vorher bekommt es keine Einstellungen.',
  import: 'Per Datei registrieren',
  emptyTitle: 'Noch kein Gerät in dieser Gruppe',
  emptyText:
    'Registrieren Sie die Geräte, die die Fabrik verlassen haben: eines von Hand oder Tausende per Datei.',
  bulk: {
    provision: {
      action: 'Bereitstellen',
      title: 'Diese Geräte bereitstellen?',
      text: (count, shown) =>
        some(
          count,
          'Ein Gerät bekommt einen Client beim Provider, mit Schlüsseln, und kann nach seinen Einstellungen fragen.',
          `${shown} Geräte bekommen einen Client beim Provider, mit Schlüsseln, und können nach ihren Einstellungen fragen.`,
        ),
    },
    remove: {
      action: 'Aus der Gruppe entfernen',
      title: 'Diese Geräte entfernen?',
      text: (count, shown) =>
        some(
          count,
          'Ein Gerät verlässt die Gruppe und bekommt keine Einstellungen mehr. Seine Zertifikate werden widerrufen, und damit begonnene Sitzungen enden. Sein Client beim Provider bleibt, mit seinen Schlüsseln.',
          `${shown} Geräte verlassen die Gruppe und bekommen keine Einstellungen mehr. Ihre Zertifikate werden widerrufen, und damit begonnene Sitzungen enden. Ihre Clients beim Provider bleiben, mit ihren Schlüsseln.`,
        ),
    },
    unchanged: (count) => `${count} der ausgewählten bleiben, wie sie sind: Sie sind nicht nur registriert.`,
    progress: (done, total, failed) => `${done} von ${total} erledigt, ${failed} gescheitert.`,
    stopped: 'Angehalten; der Rest ist unverändert.',
    stop: 'Anhalten',
  },
  failed: {
    title: 'Was gescheitert ist',
    count: (count, shown) => some(count, 'Eines gescheitert', `${shown} gescheitert`),
    line: (line) => `Zeile ${line}:`,
    more: (count) => `und ${count} weitere`,
    save: 'Alle als CSV sichern',
  },
  file: {
    title: 'Geräte per Datei registrieren',
    what: 'Eine Kennung je Zeile, CSV mit der Spalte device_id, oder JSON. Was schon registriert ist, bleibt, wie es ist; dieselbe Datei darf also zweimal kommen.',
    ids: 'Gerätekennungen',
    choose: 'Datei wählen',
    read: (count, shown) => some(count, 'Ein Gerät', `${shown} Geräte`),
    repeated: (count) => `${count} doppelt, einmal genommen`,
    wrong: (count, shown) =>
      some(
        count,
        'eine Zeile ohne gültige Kennung wird ausgelassen',
        `${shown} Zeilen ohne gültige Kennung werden ausgelassen`,
      ),
    wrongId: 'Das ist keine Gerätekennung: 1 bis 128 Buchstaben, Ziffern, „.“, „_“ oder „-“.',
    tooLarge: 'Diese Datei ist zu groß. Höchstens 20 MB.',
    provisionToo: 'Auch bereitstellen',
    provisionHint: 'Eine Anfrage je Gerät; bestenfalls etwa 100 je Sekunde.',
    startNone: 'Geräte registrieren',
    start: (count, shown) => some(count, 'Ein Gerät registrieren', `${shown} Geräte registrieren`),
    registering: (done, total) => `Registrieren: ${done} von ${total}`,
    provisioning: (done, total) => `Bereitstellen: ${done} von ${total}`,
    done: 'Alles erledigt.',
    stopped: 'Angehalten. Was getan ist, bleibt.',
    broken: 'Hier brach es ab. Was getan ist, bleibt; machen Sie weiter, wenn der Server erreichbar ist.',
    goOn: 'Weitermachen',
    stop: 'Anhalten',
    again: 'Andere Datei',
    added: 'Neu registriert',
    skipped: 'Schon registriert',
    made: 'Neu bereitgestellt',
    madeBefore: 'Schon bereitgestellt',
    failures: 'Gescheitert',
    showDevices: 'Geräte zeigen',
  },
  device: {
    notFoundTitle: 'Dieses Gerät ist nicht in der Gruppe',
    notFoundText: (id) => `${id} wurde vielleicht entfernt oder ist in einer anderen Gruppe.`,
    tabs: { trace: 'Verlauf', key: 'Schlüssel', certificates: 'Zertifikate' },
    group: 'Gruppe',
    client: 'Seinen Client öffnen',
    clientHidden: 'Es hat einen Client beim Provider, den Sie nicht sehen dürfen.',
    targetHidden:
      'Es hat einen Client bei seinem Provider. Sie dürfen Ziele nicht sehen, die sagen, wo das ist; darum fehlen hier seine Verbindungen und Werte.',
    targetUnknown: 'Sein Ziel konnte nicht geladen werden, darum fehlt sein Client.',
    elsewhere:
      'Sein Client ist bei einem anderen Dienst, den das Ziel nennt. Seine Verbindungen und Werte fehlen hier.',
    provision: 'Gerät bereitstellen',
    registerAgain: 'Erneut registrieren',
    remove: 'Gerät entfernen',
    removeTitle: 'Dieses Gerät entfernen?',
    removeText:
      'Es verlässt die Gruppe und bekommt keine Einstellungen mehr. Seine Zertifikate werden widerrufen, und damit begonnene Sitzungen enden. Sein Client beim Provider bleibt, mit seinen Schlüsseln. Es lässt sich wieder registrieren.',
    progress: 'Wie weit es ist',
    steps: {
      registered: 'Registriert',
      provisioned: 'Bereitgestellt',
      asked: 'Hat nach Einstellungen gefragt',
    },
    stepHints: {
      provisioned: 'Es hat noch keinen Client beim Provider. Stellen Sie es bereit.',
      asked: 'Geben Sie dem Gerät seine Kennung und seinen Schlüssel. Es fragt, wenn es startet.',
    },
    notYet: 'noch nicht',
    deletedText:
      'Der Provider hat seinen Client gelöscht, also bekommt es keine Einstellungen. Registrieren Sie es erneut für einen neuen.',
    keyText: 'Der Schlüssel, der in dieses Gerät kommt. Er öffnet nichts als dieses Gerät.',
    showKey: 'Seinen Schlüssel zeigen',
    seePreview: 'Ansehen, was es bekommt',
    openKeys: 'Schlüssel der Gruppe',
  },
}

export default words
