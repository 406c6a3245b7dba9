import type { Translation } from '../catalogue.ts'

const words: Translation<'targets'> = {
  title: 'Ziele',
  what: 'Ein Ziel sagt, wohin sich Geräte verbinden: die Broker, die sie genannt bekommen, und der Provider, der ihre Schlüssel macht.',
  search: 'Nach Name suchen',
  id: 'Id',
  name: 'Name',
  nameHint: 'Wie Menschen es nennen, etwa nach dem Standort oder dem Cluster.',
  brokers: 'Broker',
  brokersText:
    'Was Geräte genannt bekommen: Hostname oder IP-Adresse, so wie sie ihn erreichen, und der Port.',
  moreBrokers: (count) => `und ${count} weitere`,
  host: 'Host',
  port: 'Port',
  portHint: 'Üblich sind 8883 mit TLS und 1883 ohne.',
  portRule: '1 bis 65535',
  addBroker: 'Broker hinzufügen',
  removeBroker: (host) => `Broker ${host} entfernen`,
  loopback: (host) =>
    `Nur Programme auf dem Server selbst erreichen ${host}. Für Geräte im Netz geben Sie einen Namen oder eine Adresse dieses Rechners an.`,
  selection: 'Welchen Broker ein Gerät bekommt',
  first: 'Alle Geräte den ersten',
  spread: 'Geräte verteilen sich auf alle, und jedes bekommt immer denselben',
  provider: 'Provider',
  providerText: 'Wer die Clients der Geräte anlegt und ihre Schlüssel ausgibt.',
  thisPlatform: 'Diese Plattform',
  otherService: 'Ein anderer Dienst',
  ownProvider: 'Provider dieser Plattform',
  ownNamed: (provider) => `Diese Plattform, ${provider}`,
  tokenMade:
    'Beim Speichern entsteht dafür ein neues API-Token von Ihnen. Es darf Clients von Providern verwalten und sonst nichts.',
  tokenName: (target) => `Ziel ${target}`.slice(0, 128),
  renewToken: 'API-Token ersetzen',
  renewTokenHint: 'Macht ein neues und speichert es hier, etwa wenn das alte widerrufen wurde.',
  address: 'Adresse seiner API',
  addressHint: 'http oder https, ohne Zugangsdaten und Query.',
  apiKey: 'API-Schlüssel',
  apiKeyHint:
    'Wird dem Dienst als Bearer-Token gesendet. Er wird verschlüsselt gespeichert und nie wieder gezeigt.',
  keyRule: 'Sichtbare ASCII-Zeichen, ohne Leerzeichen.',
  webhookSecret: 'Webhook-Geheimnis',
  webhookSecretHint:
    'Damit signiert der Dienst seine Ereignisse. Es wird verschlüsselt gespeichert und nie wieder gezeigt, kopieren Sie es also vorher.',
  keptHint: 'Eines ist gespeichert. Lassen Sie das Feld leer, um es zu behalten.',
  makeSecret: 'Eines erzeugen',
  showSecret: 'Eingabe zeigen oder verbergen',
  newAddress:
    'Die Adresse ändert sich. Der gespeicherte Schlüssel und das Webhook-Geheimnis sind nicht für die neue Adresse bestimmt und werden nie dorthin gesendet: Geben Sie beide dafür ein.',
  newOwnAddress:
    'Die Adresse ändert sich. Der gespeicherte Schlüssel und das Webhook-Geheimnis sind nicht für sie bestimmt: Beide entstehen beim Speichern neu.',
  secretRequired: 'Die neue Adresse braucht ein eigenes.',
  create: 'Ziel anlegen',
  save: 'Ziel speichern',
  settings: 'Einstellungen',
  groups: 'Gruppen',
  created: 'Angelegt',
  emptyTitle: 'Noch kein Ziel',
  emptyText:
    'Hier beginnt das Onboarding: Sagen Sie, wohin Ihre Geräte sich verbinden. Der nächste Schritt ist eine Gruppe, die darauf zeigt.',
  unusedTitle: 'Noch keine Gruppe zeigt hierher',
  unusedText:
    'Der nächste Schritt ist eine Gruppe: Sie sagt, was ihre Geräte gesagt bekommen, und hält den Schlüssel, mit dem sie fragen.',
  delete: 'Ziel löschen',
  deleteTitle: 'Dieses Ziel löschen?',
  deleteText:
    'Keine Gruppe zeigt darauf. Seine Adresse und seine Geheimnisse werden gelöscht. Das lässt sich nicht rückgängig machen.',
  usedTitle: 'Dieses Ziel wird benutzt',
  usedText: (count, shown) =>
    count === 1
      ? 'Eine Gruppe zeigt darauf. Geben Sie ihr ein anderes Ziel, oder löschen Sie sie zuerst.'
      : `${shown} Gruppen zeigen darauf. Geben Sie ihnen ein anderes Ziel, oder löschen Sie sie zuerst.`,
  moreGroups: (count) => `und ${count} weitere`,
}

export default words
