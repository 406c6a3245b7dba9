/** Frequencies in Hz of the two tones, the second of which begins while the first fades. */
const TONES = [880, 660]
const TONE_SECONDS = 0.25
const VOLUME = 0.2

/** Plays two short tones, made here so that nothing is loaded. */
export async function playChime(context: AudioContext): Promise<void> {
  await context.resume()
  for (const [index, frequency] of TONES.entries()) {
    const startsAt = context.currentTime + index * TONE_SECONDS
    const tone = new OscillatorNode(context, { frequency })
    const volume = new GainNode(context, { gain: VOLUME })
    // Without a ramp the end of a tone clicks.
    volume.gain.setValueAtTime(VOLUME, startsAt)
    volume.gain.exponentialRampToValueAtTime(0.001, startsAt + TONE_SECONDS)
    tone.connect(volume).connect(context.destination)
    tone.start(startsAt)
    tone.stop(startsAt + TONE_SECONDS)
  }
}
