import { call } from './request'
import type { AnswerBody, Narrow, RequestBody } from './schema'

export const ROLES = ['viewer', 'user', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** A server without roles serves admins only. */
export type Me = Omit<Narrow<AnswerBody<'Me'>, { via: 'socket' | 'token' | 'session' | 'loopback' | 'proxy' }>, 'role'> & { role?: Role }

export const sessionApi = {
  me: async (): Promise<Me> => (await call<Me>('/api/me')).body,

  /** Whether the server runs each task as its owner. */
  runsAsOwner: async (): Promise<boolean> => (await call<AnswerBody<'ServerInfo'>>('/api/server')).body.mode === 'system',

  logout: async (): Promise<void> => void (await call<unknown>('/api/logout', { method: 'POST' })),

  /** Whether the server accepts passwords. It answers anyone, with 503 if something is wrong with it. */
  hasPasswords: async (): Promise<boolean> => (await call<AnswerBody<'Health'>>('/api/health', { accepts: 503 })).body.password_login === true,

  /** The answer sets the cookie of the session. */
  login: async (login: RequestBody<'PasswordLogin'>): Promise<void> => void (await call<unknown>('/api/login', { method: 'POST', body: login })),
}
