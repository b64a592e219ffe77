import { call } from './request'
import type { AnswerBody, Narrow } from './schema'
import type { TaskStatus } from './tasks'

export type GpuScore = AnswerBody<'Score'>

export type PlacementGpu = AnswerBody<'Gpu'>

type Need = Narrow<AnswerBody<'Need'>, { memory_from: 'stated' | 'estimate' | 'none' }>

/** Where a task would start now, and why not elsewhere. */
export type Placement = Narrow<AnswerBody<'Placement'>, { status: TaskStatus; need: Need }>

export const placementOf = async (id: number): Promise<Placement> => (await call<Placement>(`/api/tasks/${id}/placement`)).body
