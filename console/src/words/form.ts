import type { Problem, TaskCreate, TaskDetail } from '@/api/wire'

/** The form as it is typed. */
export interface TaskForm {
  name: string
  gpuType: string
  gpuCount: string
  command: string
  priority: string
  devices: 'auto' | 'cpu'
  memoryGb: string
  workDir: string
  env: string
}

export type FieldName = keyof TaskForm

/** What is wrong with a field: a key of the messages and its values. */
export interface FieldError {
  key: string
  params: Record<string, string>
}

export type FieldErrors = Partial<Record<FieldName, FieldError>>

export function emptyForm(): TaskForm {
  return { name: '', gpuType: '', gpuCount: '1', command: '', priority: 'NORMAL', devices: 'auto', memoryGb: '', workDir: '', env: '' }
}

/** The same once more. The values of the environment are the owner's secret, so only names are known. */
export function formOf(task: TaskDetail): TaskForm {
  return {
    name: task.name,
    gpuType: task.gpu_type ?? '',
    gpuCount: String(task.gpu_count === 0 ? 1 : task.gpu_count),
    command: task.command,
    priority: task.priority,
    devices: task.devices === 'cpu' ? 'cpu' : 'auto',
    memoryGb: task.memory_gb === null ? '' : String(task.memory_gb),
    workDir: task.work_dir,
    env: '',
  }
}

const FIELDS: Record<string, FieldName> = {
  name: 'name',
  gpu_type: 'gpuType',
  gpu_count: 'gpuCount',
  command: 'command',
  priority: 'priority',
  devices: 'devices',
  memory_gb: 'memoryGb',
  work_dir: 'workDir',
  env: 'env',
}

/** Which field the server found fault with; `env.NAME` is one line of a field. */
export function fieldOf(problem: Problem): FieldName | null {
  if (problem.field === null) return null
  return FIELDS[problem.field.split('.')[0]!] ?? null
}

/** Lines NAME=value, and the first line that is none. */
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

/** What can be said without asking the server. */
export function check(form: TaskForm): FieldErrors {
  const errors: FieldErrors = {}
  const say = (field: FieldName, key: string, params: Record<string, string> = {}): void => void (errors[field] = { key, params })
  if (form.name.trim() === '') say('name', 'form.error.empty')
  if (form.command.trim() === '') say('command', 'form.error.empty')
  if (form.devices === 'auto' && !/^[1-9]\d{0,3}$/.test(form.gpuCount.trim())) say('gpuCount', 'form.error.whole')
  if (form.devices === 'auto' && form.memoryGb.trim() !== '' && !(Number(form.memoryGb) > 0)) say('memoryGb', 'form.error.amount')
  const { badLine } = readEnv(form.env)
  if (badLine !== null) say('env', 'form.error.envLine', { line: String(badLine) })
  return errors
}

/** A good form as a request; what was left out is left to the server. */
export function requestOf(form: TaskForm): TaskCreate {
  const request: TaskCreate = { name: form.name.trim(), command: form.command.replaceAll('\r\n', '\n') }
  if (form.devices === 'cpu') request.devices = 'cpu'
  else {
    request.gpu_count = Number(form.gpuCount)
    if (form.gpuType !== '') request.gpu_type = form.gpuType
    if (form.memoryGb.trim() !== '') request.memory_gb = Number(form.memoryGb)
  }
  if (form.priority !== 'NORMAL') request.priority = form.priority as NonNullable<TaskCreate['priority']>
  if (form.workDir.trim() !== '') request.work_dir = form.workDir.trim()
  const { env } = readEnv(form.env)
  if (Object.keys(env).length > 0) request.env = env
  return request
}

/** Names one wish: sending it again after a lost answer makes no second task. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
