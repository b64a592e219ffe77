import { describe, expect, it } from 'vitest'

import type { Problem } from '@/api/problems'
import type { TaskDetail } from '@/api/tasks'
import { changesOf, check, emptyForm, fieldOf, filledFolds, formOf, newKey, readEnv, requestOf, type TaskForm } from '@/form/taskForm'
import { readTimeLimit, timeLimitText } from '@/form/timeLimit'

const good = { ...emptyForm(), name: ' train ', command: 'echo 1\r\necho 2' }
const problem = (field: string | null): Problem => ({ detail: '', code: '', field, params: {} })

const known = {
  name: 'n', gpu_type: null, gpu_count: 2, max_gpu: 4, command: 'c\nd', priority: 'LOW', devices: 'auto', memory_gb: 8, share: true,
  timeout_seconds: 5400, model_name: 'mace', task_type: 'relax', structure_n_atoms: 64, work_dir: '/w', env: ['SEED'],
} as unknown as TaskDetail

describe('a form', () => {
  it('asks for a name, a command and a whole number of GPUs', () => {
    expect(Object.keys(check({ ...emptyForm(), gpuCount: '0' }))).toEqual(['name', 'command', 'gpuCount'])
    expect(check(good)).toEqual({})
    expect(check({ ...good, gpuCount: '1.5' }).gpuCount?.key).toBe('form.error.count')
    expect(check({ ...good, memoryGb: 'much' }).memoryGb?.key).toBe('form.error.amount')
  })

  it('sends only what was filled in', () => {
    expect(requestOf(good)).toEqual({ name: 'train', command: 'echo 1\necho 2', gpu_count: 1 })
  })

  it('puts a new task into a lane and lets it be tried again', () => {
    expect(requestOf({ ...good, lane: ' sweep.1 ', maxRetries: ' 3 ' })).toEqual({ ...requestOf(good), lane: 'sweep.1', max_retries: 3 })
    expect(requestOf({ ...good, maxRetries: '0' }).max_retries).toBe(0)
    for (const lane of ['a b', 'x/1', 'ä', 'l'.repeat(65)]) expect(check({ ...good, lane }).lane?.key, lane).toBe('form.error.lane')
    for (const maxRetries of ['-1', '1.5', '1001', 'x']) expect(check({ ...good, maxRetries }).maxRetries?.key, maxRetries).toBe('form.error.retries')
    expect(filledFolds({ ...good, lane: 'a' })).toEqual(['more'])
    expect(fieldOf(problem('max_retries'))).toBe('maxRetries')
  })

  it('copies the lane that somebody named, not that of a run', () => {
    expect(formOf({ ...known, lane: 'mine', run: null, max_retries: 2 })).toMatchObject({ lane: 'mine', maxRetries: '2' })
    expect(formOf({ ...known, lane: '3/1', run: 3, max_retries: null })).toMatchObject({ lane: '', maxRetries: '' })
  })

  it('sends every option under its own name', () => {
    const full = { ...good, gpuType: 'NVIDIA H200', gpuCount: '2', priority: 'HIGH', memoryGb: '19.5', workDir: '/data', env: 'SEED=7\n\nURL=a=b' }
    expect(requestOf(full)).toEqual({
      name: 'train',
      command: 'echo 1\necho 2',
      gpu_count: 2,
      gpu_type: 'NVIDIA H200',
      memory_gb: 19.5,
      priority: 'HIGH',
      work_dir: '/data',
      env: { SEED: '7', URL: 'a=b' },
    })
  })

  it('asks for no GPU when it is for the CPU', () => {
    const request = requestOf({ ...good, devices: 'cpu', gpuType: 'NVIDIA H200', gpuCount: 'x', memoryGb: '3' })
    expect(request).toEqual({ name: 'train', command: 'echo 1\necho 2', devices: 'cpu' })
    expect(check({ ...good, devices: 'cpu', gpuCount: 'x' })).toEqual({})
  })

  it('names the line of the environment that is none', () => {
    expect(readEnv('A=1\nB').badLine).toBe(2)
    expect(check({ ...good, env: '=x' }).env).toEqual({ key: 'form.error.envLine', params: { line: '1' } })
  })

  it('takes a number of GPUs or a range, the smaller first', () => {
    expect(requestOf({ ...good, gpuCount: ' 2 – 4' }).gpu_count).toBe('2-4')
    expect(requestOf({ ...good, gpuCount: '3-3' }).gpu_count).toBe(3)
    expect(check({ ...good, gpuCount: '4-2' }).gpuCount?.key).toBe('form.error.countOrder')
    for (const wrong of ['0', '2-', '-4', '1-2-3', '0-2', '']) expect(check({ ...good, gpuCount: wrong }).gpuCount?.key, wrong).toBe('form.error.count')
  })

  it('names chosen GPUs in order, and no number of them', () => {
    const chosen: TaskForm = { ...good, devices: 'cards', gpus: [3, 0], gpuCount: 'x' }
    expect(check(chosen)).toEqual({})
    expect(requestOf(chosen)).toEqual({ name: 'train', command: 'echo 1\necho 2', devices: '0,3' })
    expect(check({ ...chosen, gpus: [] }).devices?.key).toBe('form.error.noGpus')
  })

  it('shares only where it says how much memory', () => {
    expect(requestOf({ ...good, share: true })).not.toHaveProperty('share')
    expect(requestOf({ ...good, share: true, memoryGb: '4' }).share).toBe(true)
    expect(requestOf({ ...good, share: true, memoryGb: '4', devices: 'cpu' })).not.toHaveProperty('share')
  })

  it('of a model task says what the model works on, and atoms only then', () => {
    expect(requestOf({ ...good, modelName: 'mace', taskType: 'relax', atoms: '0', timeLimit: '90m' })).toMatchObject({ model_name: 'mace', task_type: 'relax', structure_n_atoms: 0, timeout_seconds: 5400 })
    expect(check({ ...good, atoms: '12' }).atoms?.key).toBe('form.error.atomsAlone')
    expect(check({ ...good, taskType: 'relax', atoms: '-1' }).atoms?.key).toBe('form.error.whole')
    expect(check({ ...good, timeLimit: '90' }).timeLimit?.key).toBe('form.error.timeLimit')
  })

  it('can be kept as a draft', () => {
    expect(requestOf(good, true)).toEqual({ ...requestOf(good), draft: true })
  })

  it('is filled from a task and gives the same task again', () => {
    expect(requestOf(formOf(known))).toEqual({ name: 'n', command: 'c\nd', gpu_count: '2-4', priority: 'LOW', memory_gb: 8, share: true, timeout_seconds: 5400, model_name: 'mace', task_type: 'relax', structure_n_atoms: 64, work_dir: '/w' })
    expect(requestOf(formOf({ ...known, devices: '0,1', gpu_count: 2, max_gpu: 2 }))).toMatchObject({ devices: '0,1', memory_gb: 8 })
    expect(formOf({ ...known, devices: 'cpu', gpu_count: 0, max_gpu: 0 })).toMatchObject({ devices: 'cpu', gpuCount: '1', gpus: [] })
  })

  it('unfolds what is filled in', () => {
    expect(filledFolds({ ...good, workDir: '/w' })).toEqual([])
    expect(filledFolds({ ...good, timeLimit: '1h' })).toEqual(['more'])
    expect(filledFolds(formOf(known))).toEqual(['more', 'model'])
  })

  it('shows a refusal at the field it is about', () => {
    expect(fieldOf(problem('gpu_count'))).toBe('gpuCount')
    expect(fieldOf(problem('max_gpu'))).toBe('gpuCount')
    expect(fieldOf(problem('timeout_seconds'))).toBe('timeLimit')
    expect(fieldOf(problem('env.BERTH_X'))).toBe('env')
    expect(fieldOf(problem('Idempotency-Key'))).toBeNull()
    expect(fieldOf(problem(null))).toBeNull()
  })

  it('is named by a key of its own', () => {
    expect(newKey()).toMatch(/^[0-9a-f]{32}$/)
    expect(newKey()).not.toBe(newKey())
  })
})

describe('a change', () => {
  const before = formOf(known)

  it('says what is different and nothing else', () => {
    expect(changesOf(before, { ...before })).toEqual({})
    expect(changesOf(before, { ...before, name: ' n ', timeLimit: '1.5h', gpuCount: '2 - 4' })).toEqual({})
    expect(changesOf(before, { ...before, gpuCount: '1', priority: 'HIGH' })).toEqual({ gpu_count: 1, priority: 'HIGH' })
  })

  it('takes back what is emptied', () => {
    expect(changesOf(before, { ...before, timeLimit: '', modelName: '', workDir: '' })).toEqual({ timeout_seconds: null, model_name: null, work_dir: null })
    expect(changesOf(before, { ...before, memoryGb: '' })).toEqual({ memory_gb: null, share: false })
  })

  it('of the devices takes along what hangs on them', () => {
    expect(changesOf(before, { ...before, devices: 'cpu' })).toEqual({ devices: 'cpu', gpu_count: null, memory_gb: null, share: false })
    expect(changesOf(before, { ...before, devices: 'cards', gpus: [1] })).toEqual({ devices: '1', gpu_count: null })
    const named = formOf({ ...known, devices: '0,1', gpu_count: 2, max_gpu: 2 })
    expect(changesOf(named, { ...named, gpus: [1, 0] })).toEqual({})
    expect(changesOf(named, { ...named, devices: 'auto', gpuCount: '1' })).toEqual({ devices: 'auto', gpu_count: 1 })
  })

  it('replaces the environment only where one was typed', () => {
    expect(changesOf(before, { ...before, env: 'SEED=8' })).toEqual({ env: { SEED: '8' } })
  })
})

describe('a time limit', () => {
  it.each([
    ['30s', 30],
    ['90m', 5400],
    ['2h', 7200],
    ['1h30m', 5400],
    [' 1 H 30 min ', 5400],
    ['0.5h', 1800],
    ['1d', 86_400],
  ])('%s is understood', (typed, seconds) => {
    expect(readTimeLimit(typed)).toBe(seconds)
  })

  it.each(['90', '', 'soon', '2h later', '0s', '-1h', '1h,5', '2 hours'])('“%s” is none', (typed) => {
    expect(readTimeLimit(typed)).toBeNull()
  })

  it('is written as it is typed', () => {
    expect([30, 5400, 7200, 86_400, 3661].map(timeLimitText)).toEqual(['30s', '1h 30m', '2h', '24h', '1h 1m 1s'])
    expect(readTimeLimit(timeLimitText(3661))).toBe(3661)
  })
})
