import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { stored } from '@/texts/stored'

const ERRORS = readFileSync(join(__dirname, '../../texts/src/main/resources/dev/berth/texts/en/error.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.slice(line.indexOf(' = ') + 3))

describe('stored sentences', () => {
  it.each(ERRORS)('"%s" is shown in Chinese', (sentence) => {
    expect(stored('zh-CN', sentence)).toMatch(/[\u4e00-\u9fff]/)
    expect(stored('en', sentence)).toBe(sentence)
  })

  it.each([
    ['exit code 137 (SIGKILL: killed, often for want of memory)', '退出码 137（SIGKILL：被强制终止，多为内存不足）'],
    ['ended with no exit code: its directory was deleted', '已结束，没有退出码：任务目录已被删除'],
    ['GPU error: missing from the latest readings', 'GPU 故障：最近几次读取中没有该 GPU'],
    ['Worker offline: exit code 1: no model', '工作进程没有响应：退出码 1: no model'],
    ['ValueError: bad shape', 'ValueError: bad shape'],
    ['退出码 3', '退出码 3'],
    ['', ''],
  ])('%s as on the server', (text, chinese) => {
    expect(stored('zh-CN', text)).toBe(chinese)
  })
})
