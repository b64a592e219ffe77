import type { AnswerBody, RequestBody } from './schema'

/** The progress of a running task, read from its log. */
export type Progress = AnswerBody<'TaskProgress'>

export const CAUSES = ['oom', 'host_oom', 'cuda', 'gpu_hardware', 'driver', 'nccl', 'module_missing', 'conda', 'command_missing', 'file_missing', 'permission', 'disk_full', 'packages', 'port_in_use', 'network', 'arguments', 'segfault', 'scheduler', 'traceback'] as const

/** What to change when a task is submitted again. */
export type TaskFix = RequestBody<'TaskAgain'>

export type Diagnosis = AnswerBody<'TaskDiagnosis'>

/** The GPU use of an attempt, and its request. */
export type ResourceUse = AnswerBody<'TaskUsage'>
