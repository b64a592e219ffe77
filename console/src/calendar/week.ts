import type { Reservation } from '@/api/reservations'

/** One window of a reservation. Times are milliseconds. */
export interface Window {
  reservation: Reservation
  start: number
  end: number
}

/** A window in the week that is shown, with its lane among windows that overlap. Shares are 0 to 1 of the week. */
export interface WeekBlock extends Window {
  from: number
  to: number
  lane: number
}

/** The midnight before Monday, by the browser's clock. `weeks` is added. */
export function weekStart(now: number, weeks = 0): Date {
  const day = new Date(now)
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - ((day.getDay() + 6) % 7) + 7 * weeks)
  return day
}

/** The seven days of a week and the midnight after it. Days may have 23 or 25 hours. */
export function daysOf(monday: Date): Date[] {
  return Array.from({ length: 8 }, (_, i) => new Date(monday.getFullYear(), monday.getMonth(), monday.getDate() + i))
}

/** The windows of a reservation that overlap with a time. A weekly one repeats at the same local time. */
export function windowsOf(reservation: Reservation, from: number, to: number): Window[] {
  const first = new Date(reservation.from)
  const length = reservation.seconds * 1000
  if (!reservation.weekly) return overlapping({ reservation, start: first.getTime(), end: first.getTime() + length }, from, to)
  const windows: Window[] = []
  const skipped = Math.max(0, Math.floor((from - length - first.getTime()) / WEEK_MS) - 1)
  for (let week = skipped; ; week++) {
    const start = new Date(first)
    start.setDate(first.getDate() + 7 * week)
    if (start.getTime() >= to) return windows
    windows.push(...overlapping({ reservation, start: start.getTime(), end: start.getTime() + length }, from, to))
  }
}

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS

const overlapping = (window: Window, from: number, to: number): Window[] => (window.start < to && window.end > from ? [window] : [])

/** The window that contains this moment, or else the next one; null after the last. */
export function nextWindow(reservation: Reservation, now: number): Window | null {
  const { window_from: from, window_to: to } = reservation
  // A weekly one repeats by the server's clock, which may have another time zone.
  if (from != null && to != null && Date.parse(to) > now) return { reservation, start: Date.parse(from), end: Date.parse(to) }
  const horizon = reservation.weekly ? now + 2 * WEEK_MS : Math.max(now, Date.parse(reservation.from)) + 1
  return windowsOf(reservation, now, horizon).find((window) => window.end > now) ?? null
}

/** The blocks of a week, each in the first lane that is free for it. */
export function blocksOf(reservations: readonly Reservation[], monday: Date): WeekBlock[] {
  const [from, to] = [monday.getTime(), daysOf(monday)[7]!.getTime()]
  const laneEnds: number[] = []
  return reservations
    .flatMap((one) => windowsOf(one, from, to))
    .sort((one, other) => one.start - other.start || one.reservation.id - other.reservation.id)
    .map((window) => {
      const free = laneEnds.findIndex((end) => end <= window.start)
      const lane = free < 0 ? laneEnds.length : free
      // A short block needs room for its text beside it.
      laneEnds[lane] = Math.max(window.end, window.start + DAY_MS)
      const share = (time: number): number => (Math.min(to, Math.max(from, time)) - from) / (to - from)
      return { ...window, from: share(window.start), to: share(window.end), lane }
    })
}
