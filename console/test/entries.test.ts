import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Entry } from '@/api/entries'
import RulePage from '@/pages/RulePage.vue'
import SettingPage from '@/pages/SettingPage.vue'
import { useBoard } from '@/store/board'
import { changesOf, faultsOf, readCards, resetOf, shown } from '@/words/entries'

import { card, json } from './fixture'
import { Stage } from './stage'

const entry = (key: string, more: Partial<Entry> = {}): Entry => ({ key, value: 5, usual: 5, source: 'usual', kind: 'whole', words: null, least: 1, most: 100, about: `what ${key} is`, ...more })
const typed = (value: string | boolean | number[]) => ({ value, isReset: false })

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

  it('of cards can be typed', () => {
    expect(readCards('3, 1,1')).toEqual([1, 3])
    expect(readCards('')).toEqual([])
    expect(readCards('0;1')).toBeNull()
    expect(changesOf(entries, { compete_gpus: typed('0,3') })).toEqual({ compete_gpus: [0, 3] })
  })

  it('that no server would take are told before they are sent', () => {
    const fault = (value: string, more: Partial<Entry> = {}) => faultsOf([entry('k', more)], { k: typed(value) }).k?.key
    expect([fault('7'), fault('0'), fault('101'), fault('1.5'), fault('x'), fault('')]).toEqual([undefined, 'entry.error.between', 'entry.error.between', 'entry.error.whole', 'entry.error.whole', undefined])
    expect(fault('0', { most: null })).toBe('entry.error.least')
    expect(fault('101', { least: null })).toBe('entry.error.most')
    expect(fault('a,b', { kind: 'cards' })).toBe('entry.error.cards')
  })
})

const stage = new Stage()
beforeEach(() => stage.set())
afterEach(() => stage.clear())

async function mount(component: Parameters<Stage['mount']>[0], isAdmin = true): Promise<void> {
  await stage.mount(component)
  useBoard().session.me = { name: 'ann', principal: 'ann', admin: isAdmin, via: 'session' }
  await stage.settle()
}

describe('the rules page', () => {
  const rules = { file: 'config.yaml', entries: [entry('check_time', { value: 10, source: 'config.yaml:2' }), entry('gpu_left', { least: 0 }), entry('novel_key')] }

  it('explains what it knows, and what it does not know as the server does', async () => {
    stage.handler = () => json(rules)
    await mount(RulePage)
    expect(stage.text('rule-check_time-entry')).toContain('Seconds between passes')
    expect(stage.text('rule-novel_key-entry')).toContain('what novel_key is')
    expect(stage.text('rule-check_time-source')).toBe('from config.yaml:2')
  })

  it('says in its own words where a value came from', async () => {
    stage.handler = () => json({ file: 'config.yaml', entries: [entry('check_time', { source: 'command line --check-time' }), entry('gpu_left', { source: 'environment BERTH_GPU_LEFT' })] })
    await mount(RulePage)
    expect(stage.text('rule-check_time-source')).toBe('from the option --check-time')
    expect(stage.text('rule-gpu_left-source')).toBe('from the environment: BERTH_GPU_LEFT')
  })

  it('tells of named cards that are not there in one line, and keeps them', async () => {
    stage.handler = (path) => json(path.startsWith('/api/gpus') ? [card(0)] : { file: 'config.yaml', entries: [entry('compete_gpus', { kind: 'cards', value: [0, 4, 5], usual: [] })] })
    await mount(RulePage)
    await useBoard().cards.load()
    await stage.settle()
    expect(stage.part('rule-compete_gpus-4')).toBeNull()
    expect(stage.text('rule-compete_gpus-absent')).toBe('Named too, but not in this machine: 4, 5.')
    await stage.click('rule-compete_gpus-0')
    await stage.click('rule-save')
    expect(stage.sent('PUT')).toEqual(['PUT /api/rule {"compete_gpus":[4,5]}'])
  })

  it('sends only what changed, for good or until restart', async () => {
    stage.handler = () => json(rules)
    await mount(RulePage)
    await stage.type('rule-gpu_left', '2')
    expect(stage.text('rule-unsaved')).toContain('1 change')
    await stage.click('rule-save')
    expect(stage.sent('PUT')).toEqual(['PUT /api/rule {"gpu_left":2}'])
    expect(stage.part('rule-unsaved')).toBeNull()
    await stage.click('rule-check_time-reset')
    await stage.click('rule-passing')
    await stage.click('rule-save')
    expect(stage.sent('PUT')[1]).toBe('PUT /api/rule?persist=false {"check_time":null}')
  })

  it('shows a refusal at its field and keeps what was typed', async () => {
    stage.handler = (_path, init) => (init?.method === 'PUT' ? json({ detail: 'gpu_left is at most 4.', code: 'rule.novel', field: 'gpu_left', params: {} }, 422) : json(rules))
    await mount(RulePage)
    await stage.type('rule-gpu_left', '9')
    await stage.click('rule-save')
    expect(stage.text('rule-gpu_left-error')).toBe('gpu_left is at most 4.')
    expect(stage.value('rule-gpu_left')).toBe('9')
    expect(stage.part('rule-unsaved')).not.toBeNull()
    await stage.type('rule-gpu_left', 'many')
    await stage.click('rule-save')
    expect(stage.text('rule-gpu_left-error')).toBe('A whole number.')
    expect(stage.sent('PUT')).toHaveLength(1)
  })

  it('can be changed by nobody but an admin', async () => {
    stage.handler = () => json(rules)
    await mount(RulePage, false)
    expect((stage.part('rule-gpu_left') as HTMLInputElement).disabled).toBe(true)
    expect(stage.part('rule-save')).toBeNull()
    expect(stage.part('rule-locked')).not.toBeNull()
  })
})

describe('the settings page', () => {
  const settings = { entries: [entry('host', { kind: 'text', value: '127.0.0.1', usual: '127.0.0.1' }), entry('port', { value: 29214, most: 65535 })], addresses: ['192.168.1.5'], hostname: 'box', version: '1', java: '25', system: 'Linux', home: '/h', url: 'http://x', files: ['a', 'b'], restart_needed: false }

  it('changes the port but not the address, and says that a restart is needed', async () => {
    stage.handler = (_path, init) => json({ ...settings, restart_needed: init?.method === 'PUT' })
    await mount(SettingPage)
    expect((stage.part('setting-host') as HTMLInputElement).disabled).toBe(true)
    expect(stage.text('setting-addresses')).toBe('192.168.1.5')
    expect(stage.part('setting-restart')).toBeNull()
    await stage.type('setting-port', '70000')
    await stage.click('setting-save')
    expect(stage.text('setting-port-error')).toBe('A whole number from 1 to 65535.')
    expect(stage.sent('PUT')).toEqual([])
    await stage.type('setting-port', '29300')
    await stage.click('setting-save')
    expect(stage.sent('PUT')).toEqual(['PUT /api/setting {"port":29300}'])
    expect(stage.part('setting-restart')).not.toBeNull()
  })
})
