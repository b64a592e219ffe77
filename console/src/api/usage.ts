import { call } from './request'
import type { AnswerBody, Narrow } from './schema'

/** The usage of one user or of all. `memory_efficiency` is used over requested memory, 0 to 1. */
export type Share = Omit<AnswerBody<'UsageLine'>, 'user'>

export type UserShare = Narrow<AnswerBody<'UsageLine'>, { user: string }>

export type Usage = Narrow<AnswerBody<'UsageReport'>, { users: UserShare[] }>

export const usageOf = async (days: number): Promise<Usage> => (await call<Usage>(`/api/usage?days=${days}`)).body
