import { call } from './request'

/** GPUs kept for a user, a group or nobody; Berth selects them unless `devices` names them. */
export interface Reservation {
  id: number
  user: string | null
  group: string | null
  gpu_count: number
  devices: number[] | null
  /** The first window. */
  from: string
  seconds: number
  weekly: boolean
  note: string
  created_by: string
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
