import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { Config, ConfigEntry } from '@/api/commands'
import CommandPage from '@/pages/CommandPage.vue'
import { router } from '@/routes'
import { useBoard } from '@/store/board'

import { json } from './fixture'
import { Stage } from './stage'

const stage = new Stage()
let files: Map<number, string>
let running: number | null
let modified: number

const entry = (index: number): ConfigEntry => ({ index, config: index + 1, file: `command_gpu${index === 0 ? '' : `_${index}`}.txt`, tasks: 2, queues: 1, problems: 0, running_pid: index === 0 ? running : null, modified_at: String(modified) })
const config = (index: number): Config => ({
  mode: 'single', index, config: index + 1, file: entry(index).file, content: files.get(index)!, problems: [], running_pid: entry(index).running_pid,
  queues: [{ queue_id: 7, tasks: ['python a.py', 'python b.py'].map((command, i) => ({ task_index: i, line: 2 + 4 * i, commands: ['source env.sh', command], memory_gb: 20, gpu_count: 1, max_gpu: 1, log_path: i === 0 ? 'logs/a.log' : null })) }],
})
const bad = { detail: 'line 7', code: 'command.bad_block', field: 'content', params: { line: '7' }, problems: [{ line: 7, code: 'command.no_memory', detail: 'no memory' }, { line: 9, code: 'command.novel', detail: 'something new' }] }

/** A server with these files; what a test refuses comes first. */
function serve(refusals: Record<string, Response> = {}): void {
  stage.handler = (path, init) => {
    const method = init?.method ?? 'GET'
    const refused = Object.entries(refusals).find(([start]) => `${method} ${path}`.startsWith(start))
    if (refused) return refused[1].clone()
    const index = Number(/config_index=(\d+)/.exec(path)?.[1] ?? /(\d+)$/.exec(path)?.[1])
    if (path.endsWith('/list')) return json([...files.keys()].map(entry))
    if (path.startsWith('/api/scheduler/single/start')) return json({ pid: (running = 3), problems: [] })
    if (method === 'DELETE') return json({ deleted: files.delete(index) })
    if (path.endsWith('/new')) {
      files.set(1, '')
      return json(config(1), 201)
    }
    if (path.startsWith('/api/log/bind')) return json({})
    if (method === 'PUT') {
      files.set(index, (JSON.parse(String(init?.body)) as { content: string }).content)
      modified++
    }
    return files.has(index) ? json(config(index)) : json({ detail: 'gone', code: 'command.missing', field: null, params: {} }, 404)
  }
}

beforeEach(async () => {
  stage.set()
  files = new Map([[0, '1\r\npython a.py\r\n20\r\n']])
  running = null
  modified = 1
  serve()
  await router.push({ name: 'command' })
})
afterEach(() => stage.clear())

describe('a command file', () => {
  it('opens and closes in three levels, and is read when it is opened', async () => {
    await stage.mount(CommandPage, { mode: 'single' })
    expect(stage.text('command-config-0')).toContain('2 tasks · 1 queue')
    expect(stage.asked.some((one) => one.includes('config_index'))).toBe(false)
    await stage.click('command-config-0-open')
    expect(stage.part('command-queue-0-7')).not.toBeNull()
    expect(stage.part('command-process-0-7-0')).toBeNull()
    await stage.click('command-queue-0-7-open')
    expect(stage.text('command-process-0-7-1')).toContain('python b.py')
    expect(stage.part('bind-0-7-1-path')).toBeNull()
    await stage.click('command-process-0-7-1-open')
    expect(stage.text('command-process-0-7-1-commands')).toBe('source env.sh\npython b.py')
    expect(stage.text('command-process-0-7-1')).toContain('20 GiB')
    await stage.click('command-queue-0-7-open')
    expect(stage.part('command-process-0-7-1')).toBeNull()
    await stage.click('command-config-0-open')
    expect(stage.part('command-queue-0-7')).toBeNull()
  })

  it('has a log bound and unbound to each of its processes', async () => {
    await stage.mount(CommandPage, { mode: 'single' })
    for (const id of ['command-config-0-open', 'command-queue-0-7-open', 'command-process-0-7-0-open', 'command-process-0-7-1-open']) await stage.click(id)
    expect(stage.value('bind-0-7-0-path')).toBe('logs/a.log')
    await stage.click('bind-0-7-0-remove')
    await stage.type('bind-0-7-1-path', ' logs/b.log ')
    await stage.click('bind-0-7-1-save')
    const binding = (task: number, path: string): string => `POST /api/log/bind ${JSON.stringify({ mode: 'single', config_index: 0, queue_id: 7, task_index: task, log_path: path })}`
    expect(stage.sent('POST')).toEqual([binding(0, ''), binding(1, 'logs/b.log')])
    serve({ 'POST /api/log/bind': json({ detail: '', code: 'log.outside', field: 'log_path', params: {} }, 403) })
    await stage.type('bind-0-7-1-path', '/etc/passwd')
    await stage.click('bind-0-7-1-save')
    expect(stage.text('bind-0-7-1-error')).toContain('Only files under logs/')
    expect(stage.value('bind-0-7-1-path')).toBe('/etc/passwd')
  })

  it('starts, and is said to run', async () => {
    await stage.mount(CommandPage, { mode: 'single' })
    await stage.click('command-config-0-start')
    expect(stage.sent('POST')).toEqual(['POST /api/scheduler/single/start?config_index=0'])
    expect(stage.text('command-config-0-running')).toBe('run 3')
    expect(stage.part('command-config-0-start')).toBeNull()
    await stage.click('command-config-0-stop')
    expect(stage.sent('POST')).toHaveLength(1)
    await stage.click('run-stop-keep')
    await stage.click('run-stop-yes')
    expect(stage.sent('POST')[1]).toBe('POST /api/scheduler/stop/3?keep_running=true')
  })

  it('that cannot start or go says so where it stands, and with its lines', async () => {
    files.set(1, '')
    serve({
      'POST /api/scheduler/single/start?config_index=0': json({ detail: '', code: 'run.already', field: null, params: { pid: '4' } }, 409),
      'POST /api/scheduler/single/start?config_index=1': json({ ...bad, code: 'command.nothing' }, 400),
      DELETE: json({ detail: '', code: 'run.already', field: null, params: { pid: '4' } }, 409),
    })
    await stage.mount(CommandPage, { mode: 'single' })
    await stage.click('command-config-0-start')
    await stage.click('command-config-1-start')
    expect(stage.text('command-config-0-error')).toContain('This file is being run already (run 4).')
    expect(stage.text('command-config-1-error-lines')).toContain('line 7The last line of a block is its memory in GB')
    expect(stage.part('command-config-0-delete')).toBeNull()
    await stage.click('command-config-1-delete')
    expect(stage.sent('DELETE')).toEqual([])
    await stage.click('command-config-1-delete-yes')
    expect(stage.sent('DELETE')).toEqual(['DELETE /api/commands/single/1'])
    expect(stage.text('command-config-1-error')).toContain('Not deleted')
  })
})

describe('the text of a command file', () => {
  const edit = async (): Promise<void> => {
    await stage.mount(CommandPage, { mode: 'single' })
    await stage.click('command-config-0-edit')
  }

  it('that is refused stays, with the lines at fault marked and told', async () => {
    serve({ PUT: json(bad, 400) })
    await edit()
    await stage.type('editor-text', '1\npython a.py\n')
    await stage.click('editor-save')
    expect(stage.text('editor-error')).toContain('Not saved')
    expect(stage.text('editor-problems')).toBe('line 7The last line of a block is its memory in GB, like 20.line 9something new')
    expect(stage.value('editor-text')).toBe('1\npython a.py\n')
    expect(stage.part('editor-text')!.getAttribute('aria-invalid')).toBe('true')
    expect((stage.part('editor-save') as HTMLButtonElement).disabled).toBe(false)
    expect(files.get(0)).toContain('20')
  })

  it('is saved with the line ends of the file', async () => {
    await edit()
    await stage.type('editor-text', '1\npython a.py\n24\n')
    expect(stage.part('editor-unsaved')).not.toBeNull()
    await stage.click('editor-save')
    expect(files.get(0)).toBe('1\r\npython a.py\r\n24\r\n')
    expect(stage.part('editor')).toBeNull()
  })

  it('is not replaced by what another wrote meanwhile, and replaces that only when asked twice', async () => {
    await edit()
    await stage.type('editor-text', 'mine')
    files.set(0, 'theirs')
    await stage.click('editor-save')
    expect(stage.sent('PUT')).toEqual([])
    expect(stage.text('editor-changed')).toContain('changed elsewhere')
    expect(stage.value('editor-text')).toBe('mine')
    await stage.click('editor-save')
    expect(files.get(0)).toBe('mine')
  })

  it('can be given up for what another wrote', async () => {
    await edit()
    await stage.type('editor-text', 'mine')
    files.set(0, 'theirs')
    modified++
    await useBoard().commands.loadAnew()
    await stage.settle()
    await stage.click('editor-take')
    expect(stage.value('editor-text')).toBe('theirs')
    expect(stage.part('editor-changed')).toBeNull()
    expect(stage.part('editor-unsaved')).toBeNull()
  })

  it('follows the file where nobody has typed', async () => {
    await edit()
    files.set(0, 'theirs')
    modified++
    await useBoard().commands.loadAnew()
    await stage.settle()
    expect(stage.value('editor-text')).toBe('theirs')
    expect(stage.part('editor-changed')).toBeNull()
  })

  it('stays when another deletes the file', async () => {
    files.set(1, 'text')
    await stage.mount(CommandPage, { mode: 'single' })
    await stage.click('command-config-1-edit')
    await stage.type('editor-text', 'mine')
    files.delete(1)
    await useBoard().commands.loadAnew()
    await stage.settle()
    expect(stage.value('editor-text')).toBe('mine')
    expect(stage.part('editor-gone')).not.toBeNull()
  })

  it('is not run before it is saved', async () => {
    await edit()
    await stage.type('editor-text', 'mine')
    await stage.click('command-config-0-start')
    expect(stage.sent('POST')).toEqual([])
    expect(stage.text('command-config-0-error')).toContain('unsaved changes')
  })

  it('is asked about before the page is left, and before another is edited', async () => {
    files.set(1, '')
    await edit()
    await stage.type('editor-text', 'mine')
    const leaving = router.push({ name: 'gpus' })
    await vi.waitFor(() => expect(stage.part('unsaved-no')).not.toBeNull())
    await stage.click('unsaved-no')
    await leaving
    expect(router.currentRoute.value.name).toBe('command')
    await stage.click('command-config-1-edit')
    expect(stage.value('editor-text')).toBe('mine')
    await stage.click('unsaved-yes')
    await vi.waitFor(() => expect(stage.value('editor-text')).toBe(''))
    await router.push({ name: 'gpus' })
    expect(router.currentRoute.value.name).toBe('gpus')
  })

  it('that is too large to come is not replaced by an empty one', async () => {
    serve({ 'GET /api/commands/single?config_index=0': json({ ...config(0), content: '', queues: [], problems: [{ line: 1, code: 'command.too_large', detail: '' }] }) })
    await edit()
    expect(stage.part('editor')).toBeNull()
    expect(stage.text('command-config-0-lines')).toContain('too large')
  })

  it('of a new config is open at once', async () => {
    await stage.mount(CommandPage, { mode: 'single' })
    await stage.click('command-new')
    expect(stage.sent('POST')).toEqual(['POST /api/commands/single/new'])
    expect(stage.part('command-config-1')!.contains(stage.part('editor-text'))).toBe(true)
  })
})
