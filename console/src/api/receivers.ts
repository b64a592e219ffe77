import { call } from './request'
import type { AnswerBody, Narrow } from './schema'

export const RECEIVER_STATES = ['ok', 'retrying', 'failing'] as const

/** A receiver of notifications. It is notified of tasks of `users`; null means all. */
export type Receiver = Narrow<AnswerBody<'ReceiverInfo'>, { state: (typeof RECEIVER_STATES)[number] }>

export type Delivery = AnswerBody<'ReceiverTest'>

export const receiverApi = {
  all: async (): Promise<Receiver[]> => (await call<Receiver[]>('/api/receivers')).body,

  test: async (name: string): Promise<Delivery> => (await call<Delivery>(`/api/receivers/${encodeURIComponent(name)}/test`, { method: 'POST' })).body,
}
