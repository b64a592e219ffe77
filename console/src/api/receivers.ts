import { call } from './request'

export const RECEIVER_STATES = ['ok', 'retrying', 'failing'] as const

/** Somebody or something that is told of what happens. */
export interface Receiver {
  name: string
  kind: string
  to: string
  /** Whose tasks; null is everybody's. */
  users: string[] | null
  events: string[]
  state: (typeof RECEIVER_STATES)[number]
  last_delivered_at: string | null
  waiting: number
  last_error: string | null
}

export interface Delivery {
  delivered: boolean
  detail: string
}

export const receivers = {
  all: async (): Promise<Receiver[]> => (await call<Receiver[]>('/api/receivers')).body,

  test: async (name: string): Promise<Delivery> => (await call<Delivery>(`/api/receivers/${encodeURIComponent(name)}/test`, { method: 'POST' })).body,
}
