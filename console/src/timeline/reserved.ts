import type { Reservation } from '@/api/reservations'
import { nextWindow, windowsOf, type Window } from '@/calendar/week'

import type { ReservedWindow } from './paint'
import type { Range } from './view'

/**
 * The reserved times within a range, by GPU. Berth selects the GPUs of a window only when it is the next one, so later
 * windows are known only where the GPUs are named.
 */
export function reservedWindows(reservations: readonly Reservation[], shown: Range, now: number, say: (one: Reservation) => string): ReservedWindow[] {
  return reservations.flatMap((one) => {
    const next = nextWindow(one, now)
    const windows: (Window | null)[] = one.devices === null ? [next] : windowsOf(one, shown.from, shown.to)
    const gpus = one.devices ?? one.kept_gpus
    return windows.flatMap((window) => (window === null || gpus.length === 0 ? [] : [{ gpus, start: window.start, end: window.end, text: say(one) }]))
  })
}
