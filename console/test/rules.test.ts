import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'vue/compiler-sfc'
import { describe, expect, it } from 'vitest'

import { LEVELS } from '@/api/alerts'
import { MODES } from '@/api/commandFiles'
import { CAUSES } from '@/api/findings'
import { GPU_STATUSES, FAULT_KINDS, FAULT_STAGES } from '@/api/gpus'
import { RANGES } from '@/api/history'
import { WORKER_STATUSES } from '@/api/models'
import { RECEIVER_STATES } from '@/api/receivers'
import { LANE_STATUSES, PROCESS_STATUSES, RUN_STATUSES } from '@/api/runs'
import { PHASES, PRIORITIES, TASK_STATUSES } from '@/api/tasks'
import en from '@/i18n/en'
import zhCN from '@/i18n/zh-CN'

import { hardCoded, keysOf, usedKeys, type Source } from './rules'

const SRC = join(__dirname, '../src')
const sources: Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(vue|ts)$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }))
const speaking = sources.filter((source) => !source.path.startsWith('i18n/'))
const english = keysOf(en)
const chinese = keysOf(zhCN)

describe('messages', () => {
  it('have the same keys in both languages', () => {
    expect([...chinese.keys()].filter((key) => !english.has(key))).toEqual([])
    expect([...english.keys()].filter((key) => !chinese.has(key))).toEqual([])
  })

  it('take the same values in both languages', () => {
    const values = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()
    for (const [key, text] of english) expect(values(chinese.get(key)!), key).toEqual(values(text))
  })

  it('are all there that the code asks for', () => {
    const { exact } = usedKeys(speaking)
    expect([...exact].filter((key) => !english.has(key))).toEqual([])
  })

  it('are all used', () => {
    const { exact, prefixes } = usedKeys(speaking)
    const unused = [...english.keys()].filter((key) => !exact.has(key) && !prefixes.some((prefix) => key.startsWith(prefix)))
    expect(unused).toEqual([])
  })

  it.each([
    ['status', TASK_STATUSES],
    ['gpuStatus', GPU_STATUSES],
    ['gpus.summary', GPU_STATUSES],
    ['priority', PRIORITIES],
    ['phase', PHASES],
    ['command.mode', MODES],
    ['runs.status', RUN_STATUSES],
    ['runs.lane', LANE_STATUSES],
    ['runs.process', PROCESS_STATUSES],
    ['runs.count', PROCESS_STATUSES],
    ['models.worker', WORKER_STATUSES],
    ['fault.kind', FAULT_KINDS],
    ['fault.stage', FAULT_STAGES],
    ['alerts.level', LEVELS],
    ['history.span', RANGES],
    ['diagnosis.word', CAUSES],
    ['receivers.state', RECEIVER_STATES],
    ['connection', ['connecting', 'live', 'polling', 'offline']],
  ])('of %s exist for every word of the server', (prefix, words) => {
    for (const word of words) expect(english.has(`${prefix}.${word}`), word).toBe(true)
  })
})

describe('sources', () => {
  it('say nothing to people but by messages', () => {
    for (const source of speaking) expect(hardCoded(source), source.path).toEqual([])
  })

  it('never turn text into markup, and carry no style that a content policy would refuse', () => {
    for (const { path, text } of sources) {
      expect(text, path).not.toMatch(/v-html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/)
      if (path.endsWith('.vue')) expect(parse(text).descriptor.template?.content ?? '', path).not.toMatch(/\sstyle="/)
    }
    const page = readFileSync(join(SRC, '../index.html'), 'utf8')
    expect(page).not.toMatch(/<style|style=|\son\w+=|https?:\/\//)
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/src/main.ts">'])
  })

  it('tell one story each', () => {
    for (const { path, text } of sources) expect(text.split('\n').length, path).toBeLessThanOrEqual(path.startsWith('i18n/') ? 400 : 300)
  })
})

describe('these rules', () => {
  const vue = (template: string, script = ''): Source => ({ path: 'pages/Offender.vue', text: `<script setup lang="ts">${script}</script><template>${template}</template>` })

  it.each([
    ['a text', vue('<p>Hello there</p>')],
    ['a Chinese text', vue('<p>空闲</p>')],
    ['an attribute', vue('<input placeholder="Search" />')],
    ['a label', vue('<button aria-label="Close" />')],
    ['a literal in an expression', vue(`<p>{{ isFree ? 'Free now' : '' }}</p>`)],
    ['Chinese in a script', vue('<p />', `const word = '占用'`)],
    ['a sentence in a script', { path: 'words/offender.ts', text: `toast('Something went wrong')` }],
  ])('catch %s', (_name, source) => {
    expect(hardCoded(source)).not.toEqual([])
  })

  it('catch a key that does not exist and one that nobody uses', () => {
    const { exact, prefixes } = usedKeys([vue(`<p :title="t('nav.gone')">{{ t(\`status.\${word}\`) }}</p>`)])
    expect(exact).toContain('nav.gone')
    expect(prefixes).toEqual(['status.'])
  })
})
