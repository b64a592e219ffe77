import { call } from './request'
import type { AnswerBody, Narrow } from './schema'

export type Me = Narrow<AnswerBody<'Me'>, { via: 'socket' | 'token' | 'session' | 'loopback' }>

export const sessionApi = {
  me: async (): Promise<Me> => (await call<Me>('/api/me')).body,

  logout: async (): Promise<void> => void (await call<unknown>('/api/logout', { method: 'POST' })),
}
