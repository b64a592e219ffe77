import { defineStore } from 'pinia'

import { reservationApi, type ReservationRequest } from '@/api/reservations'

import { editableResource } from './editableResource'

type Change = { create: ReservationRequest } | { remove: number }

/** GPUs that are kept for somebody, now or later. */
export const useReservationsStore = defineStore('reservations', () =>
  editableResource(reservationApi.all, async (change: Change) => {
    if ('create' in change) await reservationApi.create(change.create)
    else await reservationApi.remove(change.remove)
    return reservationApi.all()
  }),
)
