import type { AnswerBody } from './schema'

export type LineProblem = AnswerBody<'FileProblem'>

export type Reason = AnswerBody<'Reason'>

export type Problem = AnswerBody<'Problem'> & {
  /** Why the GPUs of a task that should start are not free. */
  reasons?: AnswerBody<'ExperimentRefused'>['reasons']
  /** The problems of a command file, by line. */
  problems?: LineProblem[]
}
