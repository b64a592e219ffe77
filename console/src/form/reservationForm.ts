import type { ReservationRequest } from '@/api/reservations'

import type { FieldError } from './taskForm'
import { readTimeLimit } from './timeLimit'

export type Holder = 'group' | 'user' | 'nobody'

export interface ReservationForm {
  holder: Holder
  name: string
  which: 'any' | 'some'
  count: string
  gpus: number[]
  /** As a field for date and time gives it, by the browser's clock. */
  from: string
  length: string
  weekly: boolean
  note: string
}

export type ReservationField = 'name' | 'count' | 'gpus' | 'from' | 'length'
export type ReservationErrors = Partial<Record<ReservationField, FieldError>>

const HOUR_MS = 3_600_000

/** Begins with the next full hour. */
export function emptyReservation(now: number): ReservationForm {
  return { holder: 'group', name: '', which: 'any', count: '1', gpus: [], from: localText(new Date(Math.ceil((now + 1) / HOUR_MS) * HOUR_MS)), length: '4h', weekly: false, note: '' }
}

/** `2026-11-17T14:00`, by the browser's clock. */
export function localText(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`
}

export function checkReservation(form: ReservationForm): ReservationErrors {
  const errors: ReservationErrors = {}
  const say = (field: ReservationField, key: string): void => void (errors[field] = { key, params: {} })
  if (form.holder !== 'nobody' && form.name.trim() === '') say('name', 'reservations.error.name')
  if (form.which === 'any' && !/^[1-9]\d{0,3}$/.test(form.count.trim())) say('count', 'reservations.error.count')
  if (form.which === 'some' && form.gpus.length === 0) say('gpus', 'reservations.error.gpus')
  if (Number.isNaN(Date.parse(form.from))) say('from', 'reservations.error.from')
  if (readTimeLimit(form.length) === null) say('length', 'reservations.error.length')
  return errors
}

export function requestOfReservation(form: ReservationForm): ReservationRequest {
  const request: ReservationRequest = {
    gpus: form.which === 'any' ? Number(form.count) : [...form.gpus].sort((a, b) => a - b).join(','),
    from: new Date(form.from).toISOString(),
    seconds: readTimeLimit(form.length)!,
    weekly: form.weekly,
  }
  if (form.holder === 'group') request.group = form.name.trim()
  if (form.holder === 'user') request.user = form.name.trim()
  if (form.note.trim() !== '') request.note = form.note.trim()
  return request
}
