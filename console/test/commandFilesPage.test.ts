import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { CommandFile, CommandFileEntry } from '@/api/commandFiles'
import CommandFilesPage from '@/pages/CommandFilesPage.vue'
import { router } from '@/routes'
import { useCommandFilesStore } from '@/store/commandFiles'

import { json } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
let files: Map<number, string>
let running: number | null
let modified: number

const entry = (index: number): CommandFileEntry => ({ index, config: index + 1, file: `command_gpu${index === 0 ? '' : `_${index}`}.txt`, tasks: 2, queues: 1, problems: 0, running_pid: index === 0 ? running : null, modified_at: String(modified) })
const config = (index: number): CommandFile => ({
  mode: 'single', index, config: index + 1, file: entry(index).file, content: files.get(index)!, problems: [], running_pid: entry(index).running_pid,
  queues: [{ queue_id: 7, tasks: ['python a.py', 'python b.py'].map((command, i) => ({ task_index: i, line: 2 + 4 * i, commands: ['source env.sh', command], memory_gb: 20, gpu_count: 1, max_gpu: 1, log_path: i === 0 ? 'logs/a.log' : null })) }],
})
const bad = { detail: 'line 7', code: 'command.bad_block', field: 'content', params: { line: '7' }, problems: [{ line: 7, code: 'command.no_memory', detail: 'no memory' }, { line: 9, code: 'command.novel', detail: 'something new' }] }

/** A server with these files; what a test refuses comes first. */
function serve(refusals: Record<string, Response> = {}): void {
  page.handler = (path, init) => {
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
  page.set()
  files = new Map([[0, '1\r\npython a.py\r\n20\r\n']])
  running = null
  modified = 1
  serve()
  await router.push({ name: 'command' })
})
afterEach(() => page.clear())

describe('a command file', () => {
  it('opens and closes in three levels, and is read when it is opened', async () => {
    await page.mount(CommandFilesPage, { mode: 'single' })
    expect(page.text('command-config-0')).toContain('2 tasks · 1 queue')
    expect(page.asked.some((one) => one.includes('config_index'))).toBe(false)
    await page.click('command-config-0-open')
    expect(page.part('command-queue-0-7')).not.toBeNull()
    expect(page.part('command-process-0-7-0')).toBeNull()
    await page.click('command-queue-0-7-open')
    expect(page.text('command-process-0-7-1')).toContain('python b.py')
    expect(page.part('bind-0-7-1-path')).toBeNull()
    await page.click('command-process-0-7-1-open')
    expect(page.text('command-process-0-7-1-commands')).toBe('source env.sh\npython b.py')
    expect(page.text('command-process-0-7-1')).toContain('20 GiB')
    await page.click('command-queue-0-7-open')
    expect(page.part('command-process-0-7-1')).toBeNull()
    await page.click('command-config-0-open')
    expect(page.part('command-queue-0-7')).toBeNull()
  })

  it('has a log bound and unbound to each of its processes', async () => {
    await page.mount(CommandFilesPage, { mode: 'single' })
    for (const id of ['command-config-0-open', 'command-queue-0-7-open', 'command-process-0-7-0-open', 'command-process-0-7-1-open']) await page.click(id)
    expect(page.value('bind-0-7-0-path')).toBe('logs/a.log')
    await page.click('bind-0-7-0-remove')
    await page.type('bind-0-7-1-path', ' logs/b.log ')
    await page.click('bind-0-7-1-save')
    const binding = (task: number, path: string): string => `POST /api/log/bind ${JSON.stringify({ mode: 'single', config_index: 0, queue_id: 7, task_index: task, log_path: path })}`
    expect(page.sent('POST')).toEqual([binding(0, ''), binding(1, 'logs/b.log')])
    serve({ 'POST /api/log/bind': json({ detail: '', code: 'log.outside', field: 'log_path', params: {} }, 403) })
    await page.type('bind-0-7-1-path', '/etc/passwd')
    await page.click('bind-0-7-1-save')
    expect(page.text('bind-0-7-1-error')).toContain('Only files under logs/')
    expect(page.value('bind-0-7-1-path')).toBe('/etc/passwd')
  })

  it('starts, and is said to run', async () => {
    await page.mount(CommandFilesPage, { mode: 'single' })
    await page.click('command-config-0-start')
    expect(page.sent('POST')).toEqual(['POST /api/scheduler/single/start?config_index=0'])
    expect(page.text('command-config-0-running')).toBe('run 3')
    expect(page.part('command-config-0-start')).toBeNull()
    await page.click('command-config-0-stop')
    expect(page.sent('POST')).toHaveLength(1)
    await page.click('run-stop-keep')
    await page.click('run-stop-yes')
    expect(page.sent('POST')[1]).toBe('POST /api/scheduler/stop/3?keep_running=true')
  })

  it('that cannot start or go says so where it stands, and with its lines', async () => {
    files.set(1, '')
    serve({
      'POST /api/scheduler/single/start?config_index=0': json({ detail: '', code: 'run.already', field: null, params: { file: 'command_gpu.txt', pid: '4' } }, 409),
      'POST /api/scheduler/single/start?config_index=1': json({ ...bad, code: 'command.nothing' }, 400),
      DELETE: json({ detail: '', code: 'run.already', field: null, params: { file: 'command_gpu.txt', pid: '4' } }, 409),
    })
    await page.mount(CommandFilesPage, { mode: 'single' })
    await page.click('command-config-0-start')
    await page.click('command-config-1-start')
    expect(page.text('command-config-0-error')).toContain('command_gpu.txt is already running (run 4).')
    expect(page.text('command-config-1-error-lines')).toContain('line 7no memory')
    expect(page.part('command-config-0-delete')).toBeNull()
    await page.click('command-config-1-delete')
    expect(page.sent('DELETE')).toEqual([])
    await page.click('command-config-1-delete-yes')
    expect(page.sent('DELETE')).toEqual(['DELETE /api/commands/single/1'])
    expect(page.text('command-config-1-error')).toContain('Not deleted')
  })
})

describe('the text of a command file', () => {
  const edit = async (): Promise<void> => {
    await page.mount(CommandFilesPage, { mode: 'single' })
    await page.click('command-config-0-edit')
  }

  it('that is refused stays, with the lines at fault marked and told', async () => {
    serve({ PUT: json(bad, 400) })
    await edit()
    await page.type('editor-text', '1\npython a.py\n')
    await page.click('editor-save')
    expect(page.text('editor-error')).toContain('Not saved')
    expect(page.text('editor-problems')).toBe('line 7no memoryline 9something new')
    expect(page.value('editor-text')).toBe('1\npython a.py\n')
    expect(page.part('editor-text')!.getAttribute('aria-invalid')).toBe('true')
    expect((page.part('editor-save') as HTMLButtonElement).disabled).toBe(false)
    expect(files.get(0)).toContain('20')
  })

  it('is saved with the line ends of the file', async () => {
    await edit()
    await page.type('editor-text', '1\npython a.py\n24\n')
    expect(page.part('editor-unsaved')).not.toBeNull()
    await page.click('editor-save')
    expect(files.get(0)).toBe('1\r\npython a.py\r\n24\r\n')
    expect(page.part('editor')).toBeNull()
  })

  it('is not replaced by what another wrote meanwhile, and replaces that only when asked twice', async () => {
    await edit()
    await page.type('editor-text', 'mine')
    files.set(0, 'theirs')
    await page.click('editor-save')
    expect(page.sent('PUT')).toEqual([])
    expect(page.text('editor-changed')).toContain('Somebody else changed this file')
    expect(page.value('editor-text')).toBe('mine')
    await page.click('editor-save')
    expect(files.get(0)).toBe('mine')
  })

  it('can be given up for what another wrote', async () => {
    await edit()
    await page.type('editor-text', 'mine')
    files.set(0, 'theirs')
    modified++
    await useCommandFilesStore().reload()
    await page.settle()
    await page.click('editor-take')
    expect(page.value('editor-text')).toBe('theirs')
    expect(page.part('editor-changed')).toBeNull()
    expect(page.part('editor-unsaved')).toBeNull()
  })

  it('follows the file where nobody has typed', async () => {
    await edit()
    files.set(0, 'theirs')
    modified++
    await useCommandFilesStore().reload()
    await page.settle()
    expect(page.value('editor-text')).toBe('theirs')
    expect(page.part('editor-changed')).toBeNull()
  })

  it('stays when another deletes the file', async () => {
    files.set(1, 'text')
    await page.mount(CommandFilesPage, { mode: 'single' })
    await page.click('command-config-1-edit')
    await page.type('editor-text', 'mine')
    files.delete(1)
    await useCommandFilesStore().reload()
    await page.settle()
    expect(page.value('editor-text')).toBe('mine')
    expect(page.part('editor-gone')).not.toBeNull()
  })

  it('is not run before it is saved', async () => {
    await edit()
    await page.type('editor-text', 'mine')
    await page.click('command-config-0-start')
    expect(page.sent('POST')).toEqual([])
    expect(page.text('command-config-0-error')).toContain('unsaved changes')
  })

  it('is asked about before the page is left, and before another is edited', async () => {
    files.set(1, '')
    await edit()
    await page.type('editor-text', 'mine')
    const leaving = router.push({ name: 'gpus' })
    await vi.waitFor(() => expect(page.part('unsaved-no')).not.toBeNull())
    await page.click('unsaved-no')
    await leaving
    expect(router.currentRoute.value.name).toBe('command')
    await page.click('command-config-1-edit')
    expect(page.value('editor-text')).toBe('mine')
    await page.click('unsaved-yes')
    await vi.waitFor(() => expect(page.value('editor-text')).toBe(''))
    await router.push({ name: 'gpus' })
    expect(router.currentRoute.value.name).toBe('gpus')
  })

  it('that is too large to come is not replaced by an empty one', async () => {
    serve({ 'GET /api/commands/single?config_index=0': json({ ...config(0), content: '', queues: [], problems: [{ line: 1, code: 'command.too_large', detail: 'too large' }] }) })
    await edit()
    expect(page.part('editor')).toBeNull()
    expect(page.text('command-config-0-lines')).toContain('too large')
  })

  it('of a new config is open at once', async () => {
    await page.mount(CommandFilesPage, { mode: 'single' })
    await page.click('command-new')
    expect(page.sent('POST')).toEqual(['POST /api/commands/single/new'])
    expect(page.part('command-config-1')!.contains(page.part('editor-text'))).toBe(true)
  })
})
