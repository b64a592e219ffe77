import { call } from './request'
import type { AnswerBody, Narrow } from './schema'

export const ROLES = ['viewer', 'user', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** A server without roles serves admins only. */
export type Me = Narrow<AnswerBody<'Me'>, { via: 'socket' | 'token' | 'session' | 'loopback' | 'proxy' }> & { role?: Role }

export const sessionApi = {
  me: async (): Promise<Me> => (await call<Me>('/api/me')).body,

  logout: async (): Promise<void> => void (await call<unknown>('/api/logout', { method: 'POST' })),

  /** Whether the server accepts passwords. It answers anyone. */
  hasPasswords: async (): Promise<boolean> => (await call<{ password_login?: boolean }>('/api/health')).body.password_login === true,

  /** The answer sets the cookie of the session. */
  login: async (user: string, password: string): Promise<void> => void (await call<unknown>('/api/login', { method: 'POST', body: { user, password } })),
}
