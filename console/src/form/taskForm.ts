import type { Problem } from '@/api/problems'
import type { TaskChange, TaskCreate, TaskDetail } from '@/api/tasks'

import { emptyParams, paramsForm, readParams, type ParamsForm } from './params'
import { readTimeLimit, timeLimitText } from './timeLimit'

/** The form as the user typed it. */
export interface TaskForm {
  /** What runs it: its own command, or a worker of a model that is kept loaded. */
  kind: 'command' | 'model'
  name: string
  gpuType: string
  gpuCount: string
  command: string
  priority: string
  devices: 'auto' | 'cards' | 'cpu'
  /** The chosen GPUs, for `devices: cards`. */
  gpus: number[]
  memoryGb: string
  share: boolean
  timeLimit: string
  modelName: string
  taskType: string
  atoms: string
  /** For `kind: model`. */
  params: ParamsForm
  workDir: string
  env: string
  /** For new tasks only. */
  lane: string
  maxRetries: string
}

export type FieldName = Exclude<keyof TaskForm, 'gpus' | 'kind'>

/** An error of a field: a message key and its values. */
export interface FieldError {
  key: string
  params: Record<string, string>
}

export type FieldErrors = Partial<Record<FieldName, FieldError>>

/** The fields in each collapsible section. */
export const FOLDS = {
  more: ['priority', 'timeLimit', 'memoryGb', 'share', 'workDir', 'env', 'lane', 'maxRetries'],
  model: ['modelName', 'taskType', 'atoms'],
} as const satisfies Record<string, readonly FieldName[]>
export type Fold = keyof typeof FOLDS

export function emptyForm(): TaskForm {
  return {
    kind: 'command',
    name: '',
    gpuType: '',
    gpuCount: '1',
    command: '',
    priority: 'NORMAL',
    devices: 'auto',
    gpus: [],
    memoryGb: '',
    share: false,
    timeLimit: '',
    modelName: '',
    taskType: '',
    atoms: '',
    params: emptyParams(),
    workDir: '',
    env: '',
    lane: '',
    maxRetries: '',
  }
}

/** The form for a copy of a task. The server keeps environment values secret, so `env` stays empty. */
export function formOf(task: TaskDetail): TaskForm {
  const gpus = gpusNamedBy(task.devices)
  return {
    kind: task.params == null ? 'command' : 'model',
    name: task.name,
    gpuType: task.gpu_type ?? '',
    gpuCount: task.gpu_count === 0 ? '1' : countText(task.gpu_count, task.max_gpu),
    command: task.command,
    priority: task.priority,
    devices: task.devices === 'cpu' ? 'cpu' : gpus.length > 0 ? 'cards' : 'auto',
    gpus,
    memoryGb: textOf(task.memory_gb),
    share: task.share ?? false,
    timeLimit: task.timeout_seconds == null ? '' : timeLimitText(task.timeout_seconds),
    modelName: task.model_name ?? '',
    taskType: task.task_type ?? '',
    atoms: textOf(task.structure_n_atoms),
    params: paramsForm(task.params),
    workDir: task.work_dir,
    env: '',
    // A copy cannot join a lane of a run.
    lane: task.run == null ? (task.lane ?? '') : '',
    maxRetries: task.run == null && (task.max_retries ?? 0) > 0 ? textOf(task.max_retries) : '',
  }
}

const textOf = (value: number | null | undefined): string => (value == null ? '' : String(value))

/** The GPU indexes in `devices`; none for `auto` and `cpu`. */
export function gpusNamedBy(devices: string): number[] {
  return /^\d+(,\d+)*$/.test(devices) ? devices.split(',').map(Number) : []
}

export const countText = (least: number, most: number | null | undefined, to = '-'): string => (most != null && most > least ? `${least}${to}${most}` : String(least))

/** The sections with at least one value that differs from its default. */
export function filledFolds(form: TaskForm): Fold[] {
  const empty = { ...emptyForm(), workDir: form.workDir }
  return (Object.keys(FOLDS) as Fold[]).filter((fold) => FOLDS[fold].some((field) => form[field] !== empty[field]))
}

const FIELDS: Record<string, FieldName> = {
  name: 'name',
  gpu_type: 'gpuType',
  gpu_count: 'gpuCount',
  min_gpu: 'gpuCount',
  max_gpu: 'gpuCount',
  command: 'command',
  priority: 'priority',
  devices: 'devices',
  memory_gb: 'memoryGb',
  share: 'share',
  timeout_seconds: 'timeLimit',
  model_name: 'modelName',
  task_type: 'taskType',
  structure_n_atoms: 'atoms',
  params: 'params',
  work_dir: 'workDir',
  env: 'env',
  lane: 'lane',
  max_retries: 'maxRetries',
}

/** The field that the server refused; `env.NAME` is one line of a field. */
export function fieldOf(problem: Problem): FieldName | null {
  if (problem.field === null) return null
  return FIELDS[problem.field.split('.')[0]!] ?? null
}

/** Parses lines NAME=value. `badLine` is the first line of another form. */
export function readEnv(text: string): { env: Record<string, string>; badLine: number | null } {
  const env: Record<string, string> = {}
  const lines = text.split('\n')
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '') continue
    const equals = line.indexOf('=')
    if (equals < 1) return { env, badLine: i + 1 }
    env[line.slice(0, equals).trim()] = line.slice(equals + 1)
  }
  return { env, badLine: null }
}

/** `2`, or `2-4` for at least 2 and at most 4. */
function readCount(text: string): { least: number; most: number } | null {
  const match = /^([1-9]\d{0,3})(?:\s*[-–]\s*([1-9]\d{0,3}))?$/.exec(text.trim())
  return match === null ? null : { least: Number(match[1]), most: Number(match[2] ?? match[1]) }
}

/** Errors that can be found without the server. */
export function check(form: TaskForm): FieldErrors {
  const errors: FieldErrors = {}
  const say = (field: FieldName, key: string, params: Record<string, string> = {}): void => void (errors[field] = { key, params })
  if (form.name.trim() === '') say('name', 'form.error.empty')
  if (form.kind === 'model') checkCall(form, say)
  else checkCommand(form, say)
  if (form.timeLimit.trim() !== '' && readTimeLimit(form.timeLimit) === null) say('timeLimit', 'form.error.timeLimit')
  if (form.atoms.trim() !== '') {
    if (!/^\d{1,9}$/.test(form.atoms.trim())) say('atoms', 'form.error.whole')
    else if (form.modelName.trim() === '' && form.taskType.trim() === '') say('atoms', 'form.error.atomsAlone')
  }
  if (form.maxRetries.trim() !== '' && !(/^\d{1,4}$/.test(form.maxRetries.trim()) && Number(form.maxRetries) <= 1000)) say('maxRetries', 'form.error.retries')
  return errors
}

type Say = (field: FieldName, key: string, params?: Record<string, string>) => void

function checkCall(form: TaskForm, say: Say): void {
  if (form.modelName.trim() === '') say('modelName', 'call.error.noModel')
  const { error } = readParams(form.params)
  if (error !== null) say('params', error.key, error.params)
}

function checkCommand(form: TaskForm, say: Say): void {
  if (form.command.trim() === '') say('command', 'form.error.empty')
  if (form.devices === 'cards' && form.gpus.length === 0) say('devices', 'form.error.noGpus')
  if (form.devices === 'auto') {
    const count = readCount(form.gpuCount)
    if (count === null) say('gpuCount', 'form.error.count')
    else if (count.least > count.most) say('gpuCount', 'form.error.countOrder')
  }
  if (form.devices !== 'cpu' && form.memoryGb.trim() !== '' && !(Number(form.memoryGb) > 0)) say('memoryGb', 'form.error.amount')
  if (form.lane.trim() !== '' && !/^[\w.-]{1,64}$/.test(form.lane.trim())) say('lane', 'form.error.lane')
  const { badLine } = readEnv(form.env)
  if (badLine !== null) say('env', 'form.error.envLine', { line: String(badLine) })
}

// The form has one field for the number of GPUs, which may be a range.
type Values = Required<Omit<TaskChange, 'env' | 'params' | 'min_gpu' | 'max_gpu'>>

/** The values of a valid form in the API's terms; null for empty fields. */
function valuesOf(form: TaskForm): Values {
  const text = (typed: string): string | null => (typed.trim() === '' ? null : typed.trim())
  const number = (typed: string): number | null => (typed.trim() === '' ? null : Number(typed))
  const isCpu = form.devices === 'cpu'
  const memory = isCpu ? null : number(form.memoryGb)
  return {
    name: form.name.trim(),
    command: form.command.replaceAll('\r\n', '\n'),
    devices: form.devices === 'cards' ? [...form.gpus].sort((a, b) => a - b).join() : form.devices,
    gpu_type: isCpu ? null : text(form.gpuType),
    gpu_count: form.devices === 'auto' ? countOf(form.gpuCount) : null,
    memory_gb: memory,
    share: memory !== null && form.share,
    priority: form.priority as NonNullable<TaskCreate['priority']>,
    timeout_seconds: readTimeLimit(form.timeLimit),
    model_name: text(form.modelName),
    task_type: text(form.taskType),
    structure_n_atoms: number(form.atoms),
    work_dir: text(form.workDir),
  }
}

function countOf(typed: string): number | string | null {
  const count = readCount(typed)
  if (count === null) return null
  return count.least === count.most ? count.least : `${count.least}-${count.most}`
}

const UNSAID: ReadonlySet<unknown> = new Set([null, false])
/** A worker runs a model task, on its GPU and in its directory. */
const OF_CALLS: ReadonlySet<string> = new Set(['name', 'priority', 'timeout_seconds', 'model_name', 'task_type', 'structure_n_atoms'])
const isSaid = (form: TaskForm, name: string): boolean => form.kind === 'command' || OF_CALLS.has(name)

/** A valid form as a request. Empty fields are left out, so that the server applies its defaults. */
export function requestOf(form: TaskForm, isDraft = false): TaskCreate {
  const values = valuesOf(form)
  const said = Object.entries(values).filter(([name, value]) => isSaid(form, name) && !UNSAID.has(value) && !(name === 'devices' && value === 'auto') && !(name === 'priority' && value === 'NORMAL'))
  const request = Object.fromEntries(said) as unknown as TaskCreate
  if (form.kind === 'model') request.params = readParams(form.params).params
  else addScriptFields(request, form)
  if (form.maxRetries.trim() !== '') request.max_retries = Number(form.maxRetries)
  if (isDraft) request.draft = true
  return request
}

function addScriptFields(request: TaskCreate, form: TaskForm): void {
  const { env } = readEnv(form.env)
  if (Object.keys(env).length > 0) request.env = env
  if (form.lane.trim() !== '') request.lane = form.lane.trim()
}

/** The changed values only: other users may have changed the rest meanwhile. */
export function changesOf(before: TaskForm, after: TaskForm): TaskChange {
  const [was, is] = [valuesOf(before), valuesOf(after)]
  const change = Object.fromEntries(Object.entries(is).filter(([name, value]) => isSaid(after, name) && value !== was[name as keyof Values])) as TaskChange
  if (after.kind === 'model') return withParams(change, before, after)
  const { env } = readEnv(after.env)
  if (Object.keys(env).length > 0) change.env = env
  return change
}

function withParams(change: TaskChange, before: TaskForm, after: TaskForm): TaskChange {
  const [was, is] = [before, after].map((form) => readParams(form.params).params)
  return JSON.stringify(was) === JSON.stringify(is) ? change : { ...change, params: is! }
}

/** An idempotency key: a repeated request with the same key creates no second task. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
