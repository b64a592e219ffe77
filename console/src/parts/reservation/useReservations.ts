import { useI18n } from 'vue-i18n'

import type { Reservation, ReservationHolder } from '@/api/reservations'
import { nextWindow, type Window } from '@/calendar/week'
import { useFormat } from '@/format/useFormat'
import { visible } from '@/log/invisible'

/** Reservations as text. */
export function useReservations() {
  const { t, locale } = useI18n()
  const { count } = useFormat()

  function holderText({ user, group }: ReservationHolder): string {
    if (group !== null) return t('reservations.forGroup', { name: visible(group) })
    return user === null ? t('reservations.quiet') : t('reservations.forUser', { name: visible(user) })
  }

  const gpusText = ({ devices, gpu_count }: Pick<Reservation, 'devices' | 'gpu_count'>): string =>
    devices === null ? t('reservations.gpus', { count: count(gpu_count) }, gpu_count) : t('reservations.named', { gpus: devices.join(', ') })

  const time = (at: number): string => new Date(at).toLocaleTimeString(locale.value, { hour: '2-digit', minute: '2-digit', hour12: false })
  const dayTime = (at: number): string => new Date(at).toLocaleString(locale.value, { weekday: 'short', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false })
  const weekday = (at: number): string => new Date(at).toLocaleDateString(locale.value, { weekday: 'long' })
  const isSameDay = (one: number, other: number): boolean => new Date(one).toDateString() === new Date(other).toDateString()

  /** The end without its date, if it is on the day of the start. */
  const endText = ({ start, end }: Pick<Window, 'start' | 'end'>): string => (isSameDay(start, end - 1) ? time(end) : dayTime(end))

  const windowText = (window: Pick<Window, 'start' | 'end'>): string => t('reservations.once', { from: dayTime(window.start), to: endText(window) })

  /** When it applies, or applies next. */
  function whenText(reservation: Reservation, now: number): string {
    const window = nextWindow(reservation, now) ?? { start: Date.parse(reservation.from), end: Date.parse(reservation.from) + reservation.seconds * 1000 }
    if (!reservation.weekly) return windowText(window)
    return t('reservations.weeklyAt', { day: weekday(window.start), from: time(window.start), to: isSameDay(window.start, window.end - 1) ? time(window.end) : `${weekday(window.end)} ${time(window.end)}` })
  }

  return { holderText, gpusText, windowText, whenText, time, weekday }
}
