/** Semantic types of quantities, and the units that each is measured in. (DTDL v2 reference; QuantitativeTypes v1 for v3) */
import { type Element, fieldPart, readReference, refuse, readText } from './document.ts'

const binary = ['', 'kibi', 'mebi', 'gibi', 'tebi', 'exbi', 'zebi', 'yobi']
const each = (prefixes: string[], unit: string) => prefixes.map((prefix) => prefix + unit)
const list = (units: string) => units.split(' ')

/** By the name of the unit's type. */
const units = {
  Acceleration: list('centimetrePerSecondSquared gForce metrePerSecondSquared'),
  Angle: list('degreeOfArc minuteOfArc radian secondOfArc turn'),
  AngularAcceleration: ['radianPerSecondSquared'],
  AngularVelocity: list('degreePerSecond radianPerSecond revolutionPerMinute revolutionPerSecond'),
  ApparentEnergy: list('gigavoltAmpereHour kilovoltAmpereHour megavoltAmpereHour voltAmpereHour'),
  ApparentPower: list('gigavoltAmpere kilovoltAmpere megavoltAmpere millivoltAmpere voltAmpere'),
  Area: [
    ...list('acre hectare squareCentimetre squareFoot squareInch squareKilometre squareMetre'),
    'squareMillimetre',
  ],
  Capacitance: each(['', 'micro', 'milli', 'nano', 'pico'], 'farad'),
  Charge: list('ampereHour coulomb milliampereHour'),
  Current: each(['', 'kilo', 'micro', 'milli'], 'ampere'),
  DataRate: [...each(binary, 'bitPerSecond'), ...each(binary, 'bytePerSecond')],
  DataSize: [...each(binary, 'bit'), ...each(binary, 'byte')],
  Density: list('gramPerCubicMetre kilogramPerCubicMetre microgramPerCubicMetre milligramPerCubicMetre'),
  Energy: [
    ...list('britishThermalUnit electronvolt gigajoule gigawattHour joule kiloBritishThermalUnit kilojoule'),
    ...list('kilowattHour megaelectronvolt megajoule megawattHour milliwattHour terawattHour wattHour'),
  ],
  Force: list('newton ounce pound ton'),
  Frequency: each(['', 'giga', 'kilo', 'mega', 'milli'], 'hertz'),
  Illuminance: list('footcandle lux'),
  Inductance: each(['', 'micro', 'milli'], 'henry'),
  IonizingRadiationDose: [
    ...each(['', 'micro', 'milli'], 'gray'),
    ...each(['', 'micro', 'milli'], 'sievert'),
  ],
  Irradiance: ['wattPerSquareMetre'],
  Length: [
    ...list('astronomicalUnit centimetre foot inch kilometre metre micrometre mile millimetre nanometre'),
    'nauticalMile',
  ],
  Luminance: ['candelaPerSquareMetre'],
  LuminousFlux: ['lumen'],
  LuminousIntensity: ['candela'],
  MagneticFlux: list('maxwell weber'),
  MagneticInduction: list('gauss tesla'),
  Mass: list('gram kilogram massPound microgram milligram slug tonne'),
  MassFlowRate: list('gramPerHour gramPerSecond kilogramPerHour kilogramPerSecond massPoundPerHour'),
  Power: [
    ...list('britishThermalUnitPerHour gigajoulePerHour gigawatt horsepower joulePerHour joulePerSecond'),
    ...list('kiloBritishThermalUnitPerHour kilojoulePerHour kilojoulePerSecond kilowatt kilowattHourPerYear'),
    ...list('megajoulePerHour megawatt microwatt milliwatt tonOfRefrigeration watt'),
  ],
  Pressure: [
    ...list('bar decapascal hectopascal inchesOfMercury inchesOfWater kilopascal millibar'),
    ...list('millimetresOfMercury pascal poundPerSquareInch'),
  ],
  Radioactivity: each(['', 'giga', 'kilo', 'mega'], 'becquerel'),
  ReactiveEnergy: each(['gigavolt', 'kilovolt', 'megavolt', 'volt'], 'AmpereReactiveHour'),
  ReactivePower: each(['gigavolt', 'kilovolt', 'megavolt', 'millivolt', 'volt'], 'AmpereReactive'),
  Resistance: each(['', 'kilo', 'mega', 'milli'], 'ohm'),
  SoundPressure: list('bel decibel'),
  Temperature: list('degreeCelsius degreeFahrenheit kelvin'),
  Time: list('day hour microsecond millisecond minute nanosecond second year'),
  Torque: ['newtonMetre'],
  Unitless: list('partsPerBillion partsPerMillion partsPerQuadrillion partsPerTrillion percent unity'),
  Velocity: [
    ...list('centimetrePerSecond kilometrePerHour kilometrePerSecond knot metrePerHour metrePerSecond'),
    ...list('milePerHour milePerSecond'),
  ],
  Voltage: each(['', 'kilo', 'mega', 'micro', 'milli'], 'volt'),
  Volume: list('cubicCentimetre cubicFoot cubicInch cubicMetre fluidOunce gallon litre millilitre'),
  VolumeFlowRate: [
    ...list('cubicFootPerMinute cubicMetrePerHour cubicMetrePerMinute cubicMetrePerSecond gallonPerHour'),
    ...list('gallonPerMinute litrePerHour litrePerMinute litrePerSecond millilitrePerHour'),
    ...list('millilitrePerMinute millilitrePerSecond'),
  ],
}
type UnitType = keyof typeof units

/** Quantities whose units are of a type of another name. */
const measuredLike: Record<string, UnitType> = {
  Concentration: 'Unitless',
  Distance: 'Length',
  ElectricCharge: 'Charge',
  EnergyRate: 'Power',
  Humidity: 'Density',
  Latitude: 'Angle',
  Longitude: 'Angle',
  Luminosity: 'Power',
  RelativeDensity: 'Unitless',
  RelativeHumidity: 'Unitless',
  Thrust: 'Force',
  TimeSpan: 'Time',
}
const noQuantities = ['Charge', 'Time', 'Unitless']
const unitTypes = new Map<string, UnitType>([
  ...(Object.keys(units) as UnitType[])
    .filter((type) => !noQuantities.includes(type))
    .map((type) => [type, type] as const),
  ...Object.entries(measuredLike),
])
const allUnits = new Set(Object.values(units).flat())

const QUANTITY = /^dtmi:(?:standard:class|dtdl:extension:quantitativeTypes:v\d+:class):([A-Za-z]+)(?:;\d+)?$/
const UNIT = /^dtmi:(?:standard:unit|dtdl:extension:quantitativeTypes:v\d+:unit):([A-Za-z]+)(?:;\d+)?$/

/** Such as `TemperatureUnit`, which is a type of units, not of what is measured in them. */
export const isUnitType = (type: string): boolean =>
  type.endsWith('Unit') && Object.hasOwn(units, type.slice(0, -'Unit'.length))

/** @param type of units, such as `TemperatureUnit` or `Unitless` */
export const unitsOfType = (type: string): string[] | undefined =>
  type === 'Unitless' ? units.Unitless : isUnitType(type) ? units[type.slice(0, -4) as UnitType] : undefined

/** The schema of all units that a quantity is measured in. */
export function unitSchema(quantity: string): string {
  const type = unitTypes.get(quantityName(quantity))!
  return type === 'Unitless' ? type : `${type}Unit`
}

const quantityName = (type: string) => QUANTITY.exec(type)?.[1] ?? type
export const isQuantity = (type: string): boolean => unitTypes.has(quantityName(type))

const carriers = {
  2: ['Telemetry', 'Property'],
  3: ['Telemetry', 'Property', 'Field', 'MapValue', 'CommandRequest', 'CommandResponse'],
}

/** At most one quantity, on what can have one, and its own unit with it. */
export function checkSemanticType(element: Element): void {
  const { type, otherTypes, path, doc } = element
  const [quantity, ...more] = otherTypes.filter(isQuantity)
  const at = `${path}.@type`
  if (more.length > 0) refuse(at, `must not be both ${quantity} and ${more[0]}`)
  if (quantity && !carriers[doc.version].includes(type))
    refuse(at, `must not have ${quantity}, which is for ${carriers[doc.version].join(', ')}`)
  const unit = readUnit(element)
  const fitting = quantity ? units[unitTypes.get(quantityName(quantity))!] : undefined
  // A type of an extension, or one that DTDL v2 does not know, may bring units of its own.
  const mayHaveOthers = otherTypes.some((other) => !isQuantity(other))
  if (unit === null || (!fitting && mayHaveOthers)) return
  if (fitting ? !fitting.includes(unit) : !allUnits.has(unit))
    refuse(
      `${path}.unit`,
      `must be ${fitting ? fitting.join(', ') : 'a unit of DTDL, such as degreeCelsius'}`,
    )
}

export function readUnit(element: Element): string | null {
  const part = readReference(fieldPart(element, 'unit'))
  if (part.value === undefined) return null
  const unit = readText(part, 512)
  return UNIT.exec(unit)?.[1] ?? unit
}
