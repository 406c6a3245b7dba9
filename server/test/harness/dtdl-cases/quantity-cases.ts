/** Types of quantities, and the units that each is measured in. */
import { telemetry } from '../dtdl.ts'
import { beside, type Case, extension, language, schema, typed, type Version, within } from './case.ts'

const quantities = (version: Version) =>
  version === 2 ? [language(2)] : [language(3), extension('quantitativeTypes')]
const measured = (fields: object, type = 'Temperature', value: unknown = 'double') =>
  within(quantities, typed(type, fields, value))
const units: [string, string][] = [
  ['Acceleration', 'metrePerSecondSquared'],
  ['Angle', 'radian'],
  ['AngularAcceleration', 'radianPerSecondSquared'],
  ['AngularVelocity', 'revolutionPerMinute'],
  ['Area', 'squareMetre'],
  ['Capacitance', 'farad'],
  ['Current', 'ampere'],
  ['DataRate', 'kibibitPerSecond'],
  ['DataSize', 'mebibyte'],
  ['Density', 'kilogramPerCubicMetre'],
  ['Distance', 'metre'],
  ['ElectricCharge', 'coulomb'],
  ['Energy', 'kilowattHour'],
  ['Force', 'newton'],
  ['Frequency', 'hertz'],
  ['Humidity', 'gramPerCubicMetre'],
  ['Illuminance', 'lux'],
  ['Inductance', 'henry'],
  ['Latitude', 'degreeOfArc'],
  ['Length', 'inch'],
  ['Longitude', 'degreeOfArc'],
  ['Luminance', 'candelaPerSquareMetre'],
  ['Luminosity', 'watt'],
  ['LuminousFlux', 'lumen'],
  ['LuminousIntensity', 'candela'],
  ['MagneticFlux', 'weber'],
  ['MagneticInduction', 'tesla'],
  ['Mass', 'kilogram'],
  ['MassFlowRate', 'gramPerSecond'],
  ['Power', 'horsepower'],
  ['Pressure', 'bar'],
  ['RelativeHumidity', 'percent'],
  ['Resistance', 'ohm'],
  ['SoundPressure', 'decibel'],
  ['Temperature', 'kelvin'],
  ['Thrust', 'newton'],
  ['TimeSpan', 'second'],
  ['Torque', 'newtonMetre'],
  ['Velocity', 'knot'],
  ['Voltage', 'volt'],
  ['Volume', 'litre'],
  ['VolumeFlowRate', 'litrePerHour'],
]

const laterUnits = [
  ['Concentration', 'percent'],
  ['EnergyRate', 'watt'],
  ['RelativeDensity', 'unity'],
  ['ApparentPower', 'voltAmpere'],
  ['Radioactivity', 'becquerel'],
] as const

export const quantityCases: Case[] = [
  ...units.map(([type, unit]): Case => ['both', `${type} in ${unit}`, measured({ unit }, type)]),
  ...units.map(([type]): Case => [
    'neither',
    `${type} in a unit of another quantity`,
    measured({ unit: type === 'Volume' ? 'metre' : 'cubicMetre' }, type),
  ]),
  // In v2 these are types that DTDL does not know.
  ...laterUnits.map(([type, unit]): Case => ['both', `${type} in ${unit}`, measured({ unit }, type)]),
  ...['integer', 'long', 'float', 'double'].map((value): Case => [
    'both',
    `a quantity that is ${value}`,
    measured({ unit: 'kelvin' }, 'Temperature', value),
  ]),
  ...['string', 'boolean', 'point'].map((value): Case => [
    'neither',
    `a quantity that is ${value}`,
    measured({ unit: 'kelvin' }, 'Temperature', value),
  ]),
  [
    'neither',
    'a quantity that is an array',
    measured({ unit: 'kelvin' }, 'Temperature', { '@type': 'Array', elementSchema: 'double' }),
  ],
  ['neither', 'a quantity without unit', measured({})],
  ['neither', 'a quantity in a unit that DTDL does not know', measured({ unit: 'furlong' })],
  ['neither', 'a quantity in two units', measured({ unit: ['kelvin', 'degreeCelsius'] })],
  ['neither', 'a unit without a quantity', schema('double', { unit: 'kelvin' })],
  ['neither', 'a unit without a quantity that DTDL does not know', schema('double', { unit: 'furlong' })],
  [
    'neither',
    'two quantities',
    within(
      quantities,
      telemetry('double', { '@type': ['Telemetry', 'Temperature', 'Pressure'], unit: 'kelvin' }),
    ),
  ],
  ['v2', 'a quantity without its extension', beside('Temperature', { unit: 'kelvin' })],
  [
    'both',
    'a quantity of a property',
    within(quantities, { '@type': ['Property', 'Temperature'], name: 'p', schema: 'double', unit: 'kelvin' }),
  ],
  [
    'v3',
    'a quantity of a field',
    within(
      quantities,
      telemetry({
        '@type': 'Object',
        fields: [{ '@type': ['Field', 'Temperature'], name: 'a', schema: 'double', unit: 'kelvin' }],
      }),
    ),
  ],
  [
    'v3',
    'a quantity of a value of a map',
    within(
      quantities,
      telemetry({
        '@type': 'Map',
        mapKey: { name: 'k', schema: 'string' },
        mapValue: { '@type': ['MapValue', 'Temperature'], name: 'v', schema: 'double', unit: 'kelvin' },
      }),
    ),
  ],
  [
    'v3',
    'a quantity of a request',
    (version) =>
      within(quantities, {
        '@type': 'Command',
        name: 'c',
        request: {
          '@type': [version === 2 ? 'CommandPayload' : 'CommandRequest', 'Temperature'],
          name: 'q',
          schema: 'double',
          unit: 'kelvin',
        },
      })(version),
  ],
  [
    'neither',
    'a quantity of a command',
    within(quantities, { '@type': ['Command', 'Temperature'], name: 'c' }),
  ],
  [
    'neither',
    'a quantity of a component',
    within(quantities, {
      '@type': ['Component', 'Temperature'],
      name: 'c',
      schema: 'dtmi:com:example:Motor;1',
    }),
  ],
  [
    'both',
    'a unit by its DTMI',
    (version) =>
      within(
        quantities,
        typed('Temperature', {
          unit:
            version === 2
              ? 'dtmi:standard:unit:kelvin;2'
              : 'dtmi:dtdl:extension:quantitativeTypes:v1:unit:kelvin',
        }),
      )(version),
  ],
  ['v3', 'the units of a quantity as a schema', within(quantities, telemetry('TemperatureUnit'))],
]
