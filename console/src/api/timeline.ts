import { call } from './request'
import type { TimelineWindow } from './reservations'
import type { AnswerBody, Narrow } from './schema'
import type { TaskStatus } from './tasks'

/** A run of a task on GPUs, in the past or predicted. Its end is expected if it has not ended, and null if it is not known. */
export type TimelineRun = Narrow<AnswerBody<'TimelineRun'>, { status: TaskStatus }>

export type Timeline = Omit<Narrow<AnswerBody<'Timeline'>, { runs: TimelineRun[] }>, 'windows'> & { windows?: TimelineWindow[] }

/** The longest time that one answer covers. */
export const MAX_TIMELINE_MS = 31 * 86_400_000

export const timelineOf = async (from: number, to: number): Promise<Timeline> => (await call<Timeline>(`/api/timeline?${new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })}`)).body
