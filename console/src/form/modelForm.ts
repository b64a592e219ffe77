import type { Model, ModelSave } from '@/api/models'
import type { Problem } from '@/api/problems'

import { readEnv, type FieldError } from './taskForm'
import { readTimeLimit, timeLimitText } from './timeLimit'

/** The form of a model as the user typed it. */
export interface ModelForm {
  name: string
  worker: string
  memoryMb: string
  idle: string
  workDir: string
  env: string
  /** Removes the environment that the model has. */
  dropsEnv: boolean
  prewarm: boolean
  /** The account of the workers of a model for everyone; empty: the model is its owner's. */
  runAs: string
}

export type ModelField = Exclude<keyof ModelForm, 'dropsEnv'>
export type ModelErrors = Partial<Record<ModelField, FieldError>>

export const emptyModel = (): ModelForm => ({ name: '', worker: '', memoryMb: '', idle: '', workDir: '', env: '', dropsEnv: false, prewarm: false, runAs: '' })

/** The server keeps the values of the environment secret, so `env` stays empty. */
export function modelFormOf(model: Model): ModelForm {
  return {
    ...emptyModel(),
    name: model.name,
    worker: model.worker,
    memoryMb: String(model.memory_mb),
    idle: timeLimitText(model.idle_seconds),
    workDir: model.work_dir,
    prewarm: model.prewarm,
    runAs: model.owner === null ? (model.run_as ?? '') : '',
  }
}

const FIELDS: Record<string, ModelField> = { name: 'name', worker: 'worker', memory_mb: 'memoryMb', idle_seconds: 'idle', work_dir: 'workDir', env: 'env', prewarm: 'prewarm', run_as: 'runAs' }

/** The field that the server refused. */
export const modelFieldOf = (problem: Problem): ModelField | null => (problem.field == null ? null : (FIELDS[problem.field.split('.')[0]!] ?? null))

/** Errors that can be found without the server. */
export function checkModel(form: ModelForm): ModelErrors {
  const errors: ModelErrors = {}
  const say = (field: ModelField, key: string, params: Record<string, string> = {}): void => void (errors[field] = { key, params })
  if (!/^[\p{L}\p{N}._+-]{1,100}$/u.test(form.name.trim())) say('name', form.name.trim() === '' ? 'form.error.empty' : 'models.error.name')
  if (form.worker.trim() === '') say('worker', 'form.error.empty')
  if (form.memoryMb.trim() !== '' && !/^[1-9]\d{0,6}$/.test(form.memoryMb.trim())) say('memoryMb', 'models.error.memory')
  if (form.idle.trim() !== '' && readTimeLimit(form.idle) === null) say('idle', 'form.error.timeLimit')
  const { badLine } = readEnv(form.env)
  if (badLine !== null) say('env', 'form.error.envLine', { line: String(badLine) })
  return errors
}

/** A valid form as a request. Without `env` the server keeps what the model has. */
export function modelRequestOf(form: ModelForm): ModelSave {
  const { env } = readEnv(form.env)
  const request: ModelSave = { worker: form.worker.trim(), prewarm: form.prewarm }
  if (form.memoryMb.trim() !== '') request.memory_mb = Number(form.memoryMb)
  if (form.idle.trim() !== '') request.idle_seconds = readTimeLimit(form.idle)
  if (form.workDir.trim() !== '') request.work_dir = form.workDir.trim()
  if (form.runAs.trim() !== '') request.run_as = form.runAs.trim()
  if (form.dropsEnv || Object.keys(env).length > 0) request.env = env
  return request
}
