/** One value over time: the mean and the peak of each step. */
export interface Reading {
  /** Seconds since 1970. */
  t: number
  mean: number | null
  peak: number | null
}

interface Known {
  t: number
  mean: number
  peak: number
}

/** The largest distance without a gap, in seconds. Short steps may be a little late. */
const gapOf = (step: number): number => (step < 30 ? step * 1.5 + 5 : step * 1.5)

/** Splits the readings at gaps. A missing value is a gap too. */
export function stretches(readings: readonly Reading[], step: number): Known[][] {
  const gap = gapOf(step)
  const all: Known[][] = []
  let last = -Infinity
  for (const { t, mean, peak } of readings) {
    if (mean === null) continue
    if (t - last > gap) all.push([])
    all.at(-1)!.push({ t, mean, peak: Math.max(mean, peak ?? mean) })
    last = t
  }
  return all
}

export type Scale = (value: number) => number

const at = (x: Scale, y: Scale, t: number, value: number): string => `${x(t).toFixed(1)} ${y(value).toFixed(1)}`

/** The line through the means. A single reading is a dot. */
export function linePath(all: readonly Known[][], x: Scale, y: Scale): string {
  return all.map((stretch) => `M${stretch.map(({ t, mean }) => at(x, y, t, mean)).join('L')}${stretch.length === 1 ? 'h0' : ''}`).join('')
}

/** The area between mean and peak. */
export function bandPath(all: readonly Known[][], x: Scale, y: Scale): string {
  return all.map((stretch) => `M${stretch.map(({ t, peak }) => at(x, y, t, peak)).join('L')}L${stretch.toReversed().map(({ t, mean }) => at(x, y, t, mean)).join('L')}Z`).join('')
}

/** The area below the means. */
export function areaPath(all: readonly Known[][], x: Scale, y: Scale): string {
  return all.map((stretch) => `M${at(x, y, stretch[0]!.t, 0)}L${stretch.map(({ t, mean }) => at(x, y, t, mean)).join('L')}L${at(x, y, stretch.at(-1)!.t, 0)}Z`).join('')
}

/** The index of the reading nearest to a time; -1 if there is none. */
export function nearest(readings: readonly { t: number }[], t: number): number {
  let low = 0
  let high = readings.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (readings[middle]!.t < t) low = middle + 1
    else high = middle
  }
  const before = readings[low - 1]
  return before !== undefined && t - before.t < readings[low]!.t - t ? low - 1 : low < readings.length ? low : -1
}

/** The reading at a time; null in a gap. `reach` is the tolerance of the pointer in seconds. */
export function readingAt(readings: readonly Reading[], t: number, step: number, reach: number): Reading | null {
  const found = readings[nearest(readings, t)]
  return found === undefined || found.mean === null || Math.abs(found.t - t) > Math.max(gapOf(step) / 2, reach) ? null : found
}

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400
const TICKS = [MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY]

/** Round times in the user's time zone, at most `most` of them. */
export function timeTicks(from: number, to: number, most: number): number[] {
  const step = TICKS.find((one) => (to - from) / one <= most)
  if (step === undefined) return monthTicks(from, to, most)
  const offset = new Date(from * 1000).getTimezoneOffset() * MINUTE
  const ticks: number[] = []
  for (let t = Math.ceil((from - offset) / step) * step + offset; t <= to; t += step) ticks.push(t)
  return ticks
}

function monthTicks(from: number, to: number, most: number): number[] {
  const months = Math.ceil((to - from) / (30 * DAY) / Math.max(1, most))
  const first = new Date(from * 1000)
  const ticks: number[] = []
  for (let month = 1; ; month += months) {
    const t = new Date(first.getFullYear(), first.getMonth() + month, 1).getTime() / 1000
    if (t > to) return ticks
    ticks.push(t)
  }
}

/** The upper end of an axis: a round number not below the value that can be halved. */
export function roundUp(value: number): number {
  if (value <= 0) return 1
  const unit = 10 ** Math.floor(Math.log10(value))
  return unit * [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8, 10].find((one) => one * unit >= value * 0.999)!
}
