import type { Translation } from '../catalogue.ts'

const words: Translation<'firstDevice'> = {
  title: 'Erstes Gerät',
  what: 'Von nichts bis zum ersten Wert im Diagramm: Sagen Sie, wohin sich das Gerät verbindet, bereiten Sie es vor, und geben Sie ihm Kennung und Schlüssel.',
  progress: 'Schritte',
  doctor: 'Diagnose',
  doctorLater:
    'Sobald das Gerät vorbereitet ist, erscheint hier jeder seiner Versuche in dem Moment, in dem er ankommt: was nicht stimmt und was hilft.',
  steps: {
    target: {
      title: 'Wohin Geräte sich verbinden',
      text: 'Geräte fragen diesen Server nach ihren Einstellungen und bekommen die Adresse eines Brokers. Dieser Server hat einen.',
    },
    device: {
      title: 'Welches Gerät',
      text: 'Ein Gerät hat eine Kennung und einen eigenen Schlüssel. Geräte, die dasselbe gesagt bekommen, bilden eine Gruppe.',
    },
    code: {
      title: 'Ins Gerät übernehmen',
      text: 'Wählen Sie, was das Gerät spricht, und kopieren Sie. Adressen, Kennung und Schlüssel sind die echten.',
    },
    value: { title: 'Erster Wert', text: 'Jeder Wert erscheint hier, sobald er gespeichert ist.' },
  },
  isDone: 'Dieser Schritt ist erledigt. Für eine andere Wahl bereiten Sie ein weiteres Gerät vor.',
  done: '(erledigt)',
  waiting: 'wartet',
  arrived: 'da',
  target: 'Ziel',
  onlyOldest: 'Nur die 100 ältesten stehen hier.',
  newTarget: 'Der Broker dieses Servers, neu',
  host: 'Host des Brokers',
  hostHint: 'So, wie das Gerät ihn erreicht.',
  loopback: (host) =>
    `Nur Programme auf diesem Rechner erreichen ${host}. Für ein Gerät im Netz geben Sie einen Namen oder eine Adresse dieses Rechners an.`,
  hostProblem: 'Geben Sie einen Hostnamen oder eine Adresse an, ohne Schema und Pfad.',
  port: 'Port',
  portProblem: '1 bis 65535',
  tls: 'Mit TLS',
  tlsHint:
    'Das Gerät braucht dann das Zertifikat der Zertifizierungsstelle (ca.crt), das die nächsten Schritte mitbringen.',
  next: 'Weiter',
  back: 'Zurück',
  deviceId: 'Gerätekennung',
  deviceIdHint:
    'Buchstaben, Ziffern, Punkt, Unterstrich und Bindestrich. Sie ist auch der Benutzername am Broker.',
  deviceIdProblem: 'Nehmen Sie 1 bis 128 Buchstaben, Ziffern, Punkte, Unterstriche und Bindestriche.',
  group: 'Gruppe',
  newGroup: 'Eine neue Gruppe',
  disabledGroup: (name) => `${name} (gesperrt)`,
  groupName: 'Name der neuen Gruppe',
  groupHint:
    'Sie enthält, was ihre Geräte gesagt bekommen, und den Schlüssel, aus dem deren Schlüssel abgeleitet werden.',
  groupNameProblem: 'Geben Sie einen Namen an.',
  defaultGroup: 'Erste Geräte',
  preview: (deviceId) => `Was ${deviceId} gesagt bekommt`,
  prepare: 'Gerät vorbereiten',
  stages: {
    target: 'Das Ziel wird angelegt…',
    group: 'Die Gruppe wird angelegt…',
    key: 'Der Schlüssel wird erzeugt…',
    device: 'Das Gerät wird registriert…',
    provisioned: 'Das Gerät wird bereitgestellt…',
  },
  languages: 'Was das Gerät spricht',
  languageNames: {
    shell: 'curl und MQTT',
    typescript: 'TypeScript',
    python: 'Python',
    espidf: 'C, ESP-IDF',
    arduino: 'Arduino',
  },
  snippets: {
    settings: 'Einstellungen holen',
    ca: 'Zertifikat der Zertifizierungsstelle holen',
    publish: 'Einen Wert senden (Debian: apt install mosquitto-clients)',
    subscribe: 'Auf gewünschte Eigenschaften hören',
    install: 'Vorbereiten',
    file: 'Das kommt in',
    run: 'Ausführen',
    flash: 'Bauen und aufspielen',
  },
  secret: 'Das enthält Schlüssel des Geräts. Wer sie hat, kann als das Gerät sprechen.',
  valueArrived: 'Der erste Wert ist da.',
  showValue: 'Im Diagramm zeigen',
  noDevice: 'Kein Gerät zur Hand?',
  simulateText:
    'Der Server kann dieses Gerät über echtes MQTT spielen und sendet alle zwei Sekunden einen Wert.',
  simulate: 'Eines simulieren',
  stopSimulation: 'Simulation anhalten',
  simulationName: 'Erstes Gerät',
  waitingTitle: 'Noch kein Wert',
  waitingText: 'Das Diagramm beginnt mit dem ersten Wert. Die Diagnose sagt, was im Weg steht.',
  toCode: 'Zeigen, was ins Gerät kommt',
  elsewhereTitle: 'Die Werte gehen woandershin',
  elsewhereText:
    'Das Ziel dieser Gruppe führt zu einer anderen Plattform, die die Werte empfängt. Hier sieht man, welche Einstellungen erfragt wurden.',
  chartOf: (name, count) => `${name}, ${count} Werte, seit diese Seite offen ist`,
  values: (count) => (count === '1' ? '1 Wert' : `${count} Werte`),
  openDevice: 'Gerät öffnen',
  another: 'Weiteres Gerät vorbereiten',
}

export default words
