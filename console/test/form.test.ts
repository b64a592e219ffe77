import { describe, expect, it } from 'vitest'

import type { Problem, TaskDetail } from '@/api/wire'
import { check, emptyForm, fieldOf, formOf, newKey, readEnv, requestOf } from '@/words/form'

const good = { ...emptyForm(), name: ' train ', command: 'echo 1\r\necho 2' }
const problem = (field: string | null): Problem => ({ detail: '', code: '', field, params: {} })

describe('a form', () => {
  it('asks for a name, a command and a whole number of cards', () => {
    expect(Object.keys(check({ ...emptyForm(), gpuCount: '0' }))).toEqual(['name', 'command', 'gpuCount'])
    expect(check(good)).toEqual({})
    expect(check({ ...good, gpuCount: '1.5' }).gpuCount?.key).toBe('form.error.whole')
    expect(check({ ...good, memoryGb: 'much' }).memoryGb?.key).toBe('form.error.amount')
  })

  it('sends only what was filled in', () => {
    expect(requestOf(good)).toEqual({ name: 'train', command: 'echo 1\necho 2', gpu_count: 1 })
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

  it('asks for no card when it is for the CPU', () => {
    const request = requestOf({ ...good, devices: 'cpu', gpuType: 'NVIDIA H200', gpuCount: 'x', memoryGb: '3' })
    expect(request).toEqual({ name: 'train', command: 'echo 1\necho 2', devices: 'cpu' })
    expect(check({ ...good, devices: 'cpu', gpuCount: 'x' })).toEqual({})
  })

  it('names the line of the environment that is none', () => {
    expect(readEnv('A=1\nB').badLine).toBe(2)
    expect(check({ ...good, env: '=x' }).env).toEqual({ key: 'form.error.envLine', params: { line: '1' } })
  })

  it('is filled from a task and gives the same task again', () => {
    const task = { name: 'n', gpu_type: null, gpu_count: 2, command: 'c\nd', priority: 'LOW', devices: 'auto', memory_gb: 8, work_dir: '/w', env: ['SEED'] } as unknown as TaskDetail
    expect(requestOf(formOf(task))).toEqual({ name: 'n', command: 'c\nd', gpu_count: 2, priority: 'LOW', memory_gb: 8, work_dir: '/w' })
  })

  it('shows a refusal at the field it is about', () => {
    expect(fieldOf(problem('gpu_count'))).toBe('gpuCount')
    expect(fieldOf(problem('env.BERTH_X'))).toBe('env')
    expect(fieldOf(problem('Idempotency-Key'))).toBeNull()
    expect(fieldOf(problem(null))).toBeNull()
  })

  it('is named by a key of its own', () => {
    expect(newKey()).toMatch(/^[0-9a-f]{32}$/)
    expect(newKey()).not.toBe(newKey())
  })
})
