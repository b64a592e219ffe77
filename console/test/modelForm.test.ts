import { describe, expect, it } from 'vitest'

import type { Model } from '@/api/models'
import type { TaskDetail } from '@/api/tasks'
import { checkModel, emptyModel, modelFieldOf, modelFormOf, modelRequestOf } from '@/form/modelForm'
import { emptyParams, MAX_PARAMS_BYTES, paramsForm, readParams, turned, type ParamRow } from '@/form/params'
import { changesOf, check, emptyForm, fieldOf, formOf, requestOf, type TaskForm } from '@/form/taskForm'

const rows = (...list: [string, string][]): { view: 'rows'; rows: ParamRow[]; json: string } => ({ view: 'rows', rows: list.map(([name, value]) => ({ name, value })), json: '{}' })
const json = (text: string) => ({ view: 'json' as const, rows: [], json: text })
const problem = (field: string) => ({ detail: '', code: '', field, params: {} })

describe('parameters', () => {
  it('are JSON where they can be, and text elsewhere', () => {
    const read = readParams(rows(['n', '7'], ['on', 'true'], ['at', '[0, 0.5]'], ['label', 'Si bulk'], ['code', '"7"'], ['', '']))
    expect(read.params).toEqual({ n: 7, on: true, at: [0, 0.5], label: 'Si bulk', code: '7' })
  })

  it('stay the same in the other view', () => {
    const params = { n: 7, text: 'a b', number: '7', none: null, deep: { a: [1, { b: 'c' }] }, empty: '' }
    const inJson = turned(paramsForm(params), 'json')!
    expect(JSON.parse(inJson.json)).toEqual(params)
    expect(readParams(turned(inJson, 'rows')!).params).toEqual(params)
  })

  it('keep names that objects have anyway', () => {
    expect(JSON.stringify(readParams(rows(['__proto__', '1'], ['constructor', '2'])).params)).toBe('{"__proto__":1,"constructor":2}')
  })

  it.each([
    ['a value without a name', rows(['', '7']), 'call.error.nameless'],
    ['a name twice', rows(['n', '1'], [' n ', '2']), 'call.error.twice'],
    ['broken JSON', json('{"n": }'), 'call.error.json'],
    ['JSON that is no object', json('[1]'), 'call.error.object'],
    ['null', json('null'), 'call.error.object'],
    ['too much', json(`{"a": "${'é'.repeat(MAX_PARAMS_BYTES / 2)}"}`), 'call.error.tooLong'],
  ])('are refused for %s, and the view stays', (_name, form, key) => {
    expect(readParams(form).error?.key).toBe(key)
    expect(turned(form, 'json')).toBeNull()
  })

  it('may be missing', () => {
    expect(readParams(emptyParams()).params).toEqual({})
    expect(readParams(json('  ')).params).toEqual({})
  })
})

describe('a model task', () => {
  const call: TaskForm = { ...emptyForm(), kind: 'model', name: ' relax ', modelName: 'mace', taskType: 'opt', params: rows(['n', '7']), command: 'left over', gpuCount: 'x', env: 'broken', lane: 'a b', memoryGb: 'x', workDir: '/w' }

  it('has no command and no GPUs of its own, whatever was typed before', () => {
    expect(check(call)).toEqual({})
    expect(requestOf({ ...call, priority: 'HIGH', timeLimit: '2m', maxRetries: '3', atoms: '8' }, true)).toEqual({
      name: 'relax', model_name: 'mace', task_type: 'opt', structure_n_atoms: 8, params: { n: 7 }, priority: 'HIGH', timeout_seconds: 120, max_retries: 3, draft: true,
    })
  })

  it('needs a model and readable parameters', () => {
    const errors = check({ ...call, name: '', modelName: ' ', params: json('{') })
    expect(Object.keys(errors).sort()).toEqual(['modelName', 'name', 'params'])
    expect(fieldOf(problem('params'))).toBe('params')
  })

  it('is copied and changed with its parameters', () => {
    const known = { ...({ name: 'n', command: '', priority: 'NORMAL', devices: 'auto', gpu_count: 1, max_gpu: 1, memory_gb: null, work_dir: '/w', env: [], run: null, lane: null, max_retries: 0, timeout_seconds: 3600 } as unknown as TaskDetail), model_name: 'mace', task_type: null, params: { n: 7 } }
    const before = formOf(known)
    expect(before).toMatchObject({ kind: 'model', modelName: 'mace', params: { rows: [{ name: 'n', value: '7' }] } })
    expect(changesOf(before, before)).toEqual({})
    expect(changesOf(before, turnedForm(before))).toEqual({})
    expect(changesOf(before, { ...before, params: rows(['n', '8']), taskType: 'md' })).toEqual({ params: { n: 8 }, task_type: 'md' })
    expect(requestOf(before).params).toEqual({ n: 7 })
  })

  const turnedForm = (form: TaskForm): TaskForm => ({ ...form, params: turned(form.params, 'json')! })
})

describe('the form of a model', () => {
  const good = { ...emptyModel(), name: ' mace-0.3+β ', worker: ' python3 w.py ' }

  it('sends what was filled in', () => {
    expect(checkModel(good)).toEqual({})
    expect(modelRequestOf(good)).toEqual({ worker: 'python3 w.py', prewarm: false })
    expect(modelRequestOf({ ...good, memoryMb: '6000', idle: '1h 30m', workDir: ' /w ', env: 'A=1\nB=x=y', prewarm: true })).toEqual({
      worker: 'python3 w.py', prewarm: true, memory_mb: 6000, idle_seconds: 5400, work_dir: '/w', env: { A: '1', B: 'x=y' },
    })
  })

  it('says which field is wrong', () => {
    expect(Object.keys(checkModel(emptyModel()))).toEqual(['name', 'worker'])
    for (const name of ['a b', 'a/b', 'x'.repeat(101), '<b>']) expect(checkModel({ ...good, name }).name?.key, name).toBe('models.error.name')
    expect(Object.keys(checkModel({ ...good, memoryMb: '1.5', idle: '7', env: 'x' }))).toEqual(['memoryMb', 'idle', 'env'])
    expect([modelFieldOf(problem('env.A')), modelFieldOf(problem('idle_seconds')), modelFieldOf(problem('gpu'))]).toEqual(['env', 'idle', null])
  })

  it('keeps the environment of a model unless another is typed or all is removed', () => {
    const model = { name: 'mace', worker: 'w', memory_mb: 6000, prewarm: true, env: ['KEY'], work_dir: '/w', idle_seconds: 90 } as unknown as Model
    const form = modelFormOf(model)
    expect(modelRequestOf(form)).toEqual({ worker: 'w', prewarm: true, memory_mb: 6000, work_dir: '/w', idle_seconds: 90 })
    expect(modelRequestOf({ ...form, env: 'KEY=2' }).env).toEqual({ KEY: '2' })
    expect(modelRequestOf({ ...form, dropsEnv: true }).env).toEqual({})
  })
})
