import type { Device, DeviceEvents } from '../src/index.ts'

/** Waits for the next event of that name that `matches`. */
export const nextEvent = <Name extends keyof DeviceEvents>(
  device: Device,
  name: Name,
  matches: (event: DeviceEvents[Name]) => boolean = () => true,
): Promise<DeviceEvents[Name]> =>
  new Promise((resolve) => {
    const stop = device.on(name, (event) => {
      if (!matches(event)) return
      stop()
      resolve(event)
    })
  })
