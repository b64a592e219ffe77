import { call } from './request'
import type { AnswerBody } from './schema'

export type TaskLog = AnswerBody<'TaskLog'>

export const taskLogApi = {
  tail: async (id: number, lines: number): Promise<TaskLog> => (await call<TaskLog>(`/api/tasks/${id}/logs?tail=${lines}`)).body,

  from: async (id: number, offset: number, isPartial: boolean): Promise<TaskLog> =>
    (await call<TaskLog>(`/api/tasks/${id}/logs?from=${offset}${isPartial ? '&partial=true' : ''}`)).body,
}
