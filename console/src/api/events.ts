import type { AnswerBody, Narrow } from './schema'
import type { TaskSummary } from './tasks'

export type QueueState = AnswerBody<'QueueInfo'>

export type TaskEvent = Narrow<AnswerBody<'TaskEvent'>, { task: TaskSummary }>

/**
 * Lines of the followed log. If `partial`, the last line is incomplete and the next event contains it again.
 * `error` says why the log cannot be read; no event follows it.
 */
export type LogEvent = AnswerBody<'LogLines'>
