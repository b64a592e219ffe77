import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Entry } from '@/api/config'
import { changesOf, faultsOf, readGpuIndexes, resetOf, shown } from '@/form/entryForm'
import RulesPage from '@/pages/RulesPage.vue'
import SettingsPage from '@/pages/SettingsPage.vue'
import { useGpusStore } from '@/store/gpus'
import { useSessionStore } from '@/store/session'

import { gpu, json } from './fakes'
import { MountedPage } from './mountedPage'

const entry = (key: string, more: Partial<Entry> = {}): Entry => ({ key, value: 5, usual: 5, source: 'usual', kind: 'whole', words: null, least: 1, most: 100, about: `what ${key} is`, ...more })
const typed = (value: string | boolean | number[]) => ({ value, isReset: false })

describe('a list of texts', () => {
  const allow = entry('command_policy.allow', { kind: 'texts', value: ['^python '], usual: [] })

  it('has one text per line, with its spaces', () => {
    expect(shown(allow)).toBe('^python ')
    expect(changesOf([allow], { [allow.key]: typed('^python \n\n^bash a,b ') })).toEqual({ [allow.key]: ['^python ', '^bash a,b '] })
    expect(changesOf([allow], { [allow.key]: typed('^python \n') })).toEqual({})
    expect(changesOf([allow], { [allow.key]: typed('') })).toEqual({ [allow.key]: [] })
  })
})

describe('changes', () => {
  const entries = [
    entry('check_time', { value: 10, source: 'config.yaml:2' }),
    entry('retry_config.max_retries', { value: null, usual: null }),
    entry('use_all_gpus', { kind: 'flag', value: true, usual: true }),
    entry('compete_gpus', { kind: 'cards', value: [0, 1], usual: [0, 1, 2] }),
    entry('work_dir', { kind: 'text', value: null, usual: null }),
  ]

  it('are what is different, and nothing else', () => {
    expect(changesOf(entries, {})).toEqual({})
    expect(changesOf(entries, { check_time: typed(' 10 '), use_all_gpus: typed(true), compete_gpus: typed([1, 0]), work_dir: typed('  '), 'retry_config.max_retries': typed('') })).toEqual({})
    expect(changesOf(entries, { check_time: typed('7'), use_all_gpus: typed(false), compete_gpus: typed([2, 0]), work_dir: typed(' ../ '), 'retry_config.max_retries': typed('3') })).toEqual({ check_time: 7, use_all_gpus: false, compete_gpus: [0, 2], work_dir: '../', 'retry_config.max_retries': 3 })
  })

  it('go back to usual by null, and only where something else is set', () => {
    expect(changesOf(entries, { check_time: resetOf(entries[0]!) })).toEqual({ check_time: null })
    expect(changesOf(entries, { use_all_gpus: resetOf(entries[2]!) })).toEqual({})
    expect(shown(entries[0]!, entries[0]!.usual)).toBe('5')
  })

  it('of GPUs can be typed', () => {
    expect(readGpuIndexes('3, 1,1')).toEqual([1, 3])
    expect(readGpuIndexes('')).toEqual([])
    expect(readGpuIndexes('0;1')).toBeNull()
    expect(changesOf(entries, { compete_gpus: typed('0,3') })).toEqual({ compete_gpus: [0, 3] })
  })

  it('that no server would accept are reported before they are sent', () => {
    const fault = (value: string, more: Partial<Entry> = {}) => faultsOf([entry('k', more)], { k: typed(value) }).k?.key
    expect([fault('7'), fault('0'), fault('101'), fault('1.5'), fault('x'), fault('')]).toEqual([undefined, 'entry.error.between', 'entry.error.between', 'entry.error.whole', 'entry.error.whole', undefined])
    expect(fault('0', { most: null })).toBe('entry.error.least')
    expect(fault('101', { least: null })).toBe('entry.error.most')
    expect(fault('a,b', { kind: 'cards' })).toBe('entry.error.gpus')
  })
})

const page = new MountedPage()
beforeEach(() => page.set())
afterEach(() => page.clear())

async function mount(component: Parameters<MountedPage['mount']>[0], isAdmin = true): Promise<void> {
  await page.mount(component)
  useSessionStore().me = { name: 'ann', principal: 'ann', admin: isAdmin, via: 'session' }
  await page.settle()
}

describe('the rules page', () => {
  const rules = { file: 'config.yaml', entries: [entry('check_time', { value: 10, source: 'config.yaml:2' }), entry('gpu_left', { least: 0 }), entry('novel_key')] }

  it('explains what it knows, and what it does not know as the server does', async () => {
    page.handler = () => json(rules)
    await mount(RulesPage)
    expect(page.text('rule-check_time-entry')).toContain('seconds between two statuses of a run')
    expect(page.text('rule-novel_key-entry')).toContain('what novel_key is')
    expect(page.text('rule-check_time-source')).toBe('from config.yaml:2')
  })

  it('shows a choice that nobody made as not set', async () => {
    page.handler = () => json({ file: 'config.yaml', entries: [entry('limits.default.max_priority', { kind: 'word', words: ['LOW', 'HIGH'], value: null, usual: null })] })
    await mount(RulesPage)
    const choice = page.part('rule-limits-default-max_priority') as HTMLSelectElement
    expect(choice.selectedOptions[0]?.textContent).toBe('not set')
  })

  it('says in its own words where a value came from', async () => {
    page.handler = () => json({ file: 'config.yaml', entries: [entry('check_time', { source: 'command line --check-time' }), entry('gpu_left', { source: 'environment BERTH_GPU_LEFT' })] })
    await mount(RulesPage)
    expect(page.text('rule-check_time-source')).toBe('from the option --check-time')
    expect(page.text('rule-gpu_left-source')).toBe('from the environment: BERTH_GPU_LEFT')
  })

  it('tells of named GPUs that are not there in one line, and keeps them', async () => {
    page.handler = (path) => json(path.startsWith('/api/gpus') ? [gpu(0)] : { file: 'config.yaml', entries: [entry('compete_gpus', { kind: 'cards', value: [0, 4, 5], usual: [] })] })
    await mount(RulesPage)
    await useGpusStore().load()
    await page.settle()
    expect(page.part('rule-compete_gpus-4')).toBeNull()
    expect(page.text('rule-compete_gpus-absent')).toBe('Not in this machine: 4, 5.')
    await page.click('rule-compete_gpus-0')
    await page.click('rule-save')
    expect(page.sent('PUT')).toEqual(['PUT /api/rule {"compete_gpus":[4,5]}'])
  })

  it('sends only what changed, for good or until restart', async () => {
    page.handler = () => json(rules)
    await mount(RulesPage)
    await page.type('rule-gpu_left', '2')
    expect(page.text('rule-unsaved')).toContain('1 change')
    await page.click('rule-save')
    expect(page.sent('PUT')).toEqual(['PUT /api/rule {"gpu_left":2}'])
    expect(page.part('rule-unsaved')).toBeNull()
    await page.click('rule-check_time-reset')
    await page.click('rule-passing')
    await page.click('rule-save')
    expect(page.sent('PUT')[1]).toBe('PUT /api/rule?persist=false {"check_time":null}')
  })

  it('shows a refusal at its field and keeps what was typed', async () => {
    page.handler = (_path, init) => (init?.method === 'PUT' ? json({ detail: 'gpu_left is at most 4.', code: 'rule.novel', field: 'gpu_left', params: {} }, 422) : json(rules))
    await mount(RulesPage)
    await page.type('rule-gpu_left', '9')
    await page.click('rule-save')
    expect(page.text('rule-gpu_left-error')).toBe('gpu_left is at most 4.')
    expect(page.value('rule-gpu_left')).toBe('9')
    expect(page.part('rule-unsaved')).not.toBeNull()
    await page.type('rule-gpu_left', 'many')
    await page.click('rule-save')
    expect(page.text('rule-gpu_left-error')).toBe('A whole number.')
    expect(page.sent('PUT')).toHaveLength(1)
  })

  it('can be changed by nobody but an admin', async () => {
    page.handler = () => json(rules)
    await mount(RulesPage, false)
    expect((page.part('rule-gpu_left') as HTMLInputElement).disabled).toBe(true)
    expect(page.part('rule-save')).toBeNull()
    expect(page.part('rule-locked')).not.toBeNull()
  })
})

describe('the settings page', () => {
  const settings = { entries: [entry('host', { kind: 'text', value: '127.0.0.1', usual: '127.0.0.1' }), entry('port', { value: 29214, most: 65535 })], addresses: ['192.168.1.5'], hostname: 'box', version: '1', java: '25', system: 'Linux', home: '/h', url: 'http://x', files: ['a', 'b'], restart_needed: false }

  it('changes the port but not the address, and says that a restart is needed', async () => {
    page.handler = (_path, init) => json({ ...settings, restart_needed: init?.method === 'PUT' })
    await mount(SettingsPage)
    expect((page.part('setting-host') as HTMLInputElement).disabled).toBe(true)
    expect(page.text('setting-addresses')).toBe('192.168.1.5')
    expect(page.part('setting-restart')).toBeNull()
    await page.type('setting-port', '70000')
    await page.click('setting-save')
    expect(page.text('setting-port-error')).toBe('A whole number from 1 to 65535.')
    expect(page.sent('PUT')).toEqual([])
    await page.type('setting-port', '29300')
    await page.click('setting-save')
    expect(page.sent('PUT')).toEqual(['PUT /api/setting {"port":29300}'])
    expect(page.part('setting-restart')).not.toBeNull()
  })
})
