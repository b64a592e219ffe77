import { call } from './request'

/** For whom GPUs are reserved; for nobody if both are null. */
export interface ReservationHolder {
  user: string | null
  group: string | null
}

/** A window of a reservation that keeps a GPU. */
export interface GpuReservation extends ReservationHolder {
  id: number
  active: boolean
  from: string
  to: string
}

/** A window of a reservation in the timeline. */
export interface TimelineWindow extends ReservationHolder {
  reservation: number
  gpu_count: number
  gpus: number[]
  from: string
  to: string
}

/** GPUs kept for a user, a group or nobody; Berth selects them unless `devices` names them. */
export interface Reservation extends ReservationHolder {
  id: number
  gpu_count: number
  devices: number[] | null
  /** Those that are kept for the current or next window. */
  kept_gpus: number[]
  /** The first window. */
  from: string
  seconds: number
  weekly: boolean
  note: string
  created_by: string
  /** The current or next window, by the server's clock; null if there is none. */
  window_from: string | null
  window_to: string | null
}

export interface ReservationRequest {
  user?: string
  group?: string
  gpus: number | string
  from: string
  seconds: number
  weekly: boolean
  note?: string
}

export const reservationApi = {
  all: async (): Promise<Reservation[]> => (await call<Reservation[]>('/api/reservations')).body,

  create: async (wanted: ReservationRequest): Promise<Reservation> => (await call<Reservation>('/api/reservations', { method: 'POST', body: wanted })).body,

  remove: async (id: number): Promise<void> => void (await call<unknown>(`/api/reservations/${id}`, { method: 'DELETE' })),
}
