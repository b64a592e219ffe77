import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

import { sentence, templateOf } from '@/texts/catalogue'
import { Template } from '@/texts/template'

const EXAMPLES = readFileSync(join(__dirname, '../../texts/src/test/resources/dev/berth/texts/templates.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t') as [string, string, string, string])

const valuesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(';')
      .filter((pair) => pair.includes('='))
      .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )

describe('templates', () => {
  it.each(EXAMPLES)('%s with %s renders as on the server', (text, values, english, chinese) => {
    const template = Template.parse(text)
    expect(template.render(valuesOf(values), 'en')).toBe(english)
    expect(template.render(valuesOf(values), 'zh-CN')).toBe(chinese)
  })

  it.each(['a {b', 'a [b', 'a ]', 'a }', '{n:nonsense}'])('%s is refused', (text) => {
    expect(() => Template.parse(text)).toThrow()
  })
})

describe('the catalogue', () => {
  it('finds a sentence by code, by variant, and for any code with the same ending', () => {
    expect(sentence('en', 'reason', 'card.held', { gpu: '0', task: '7' })).toBe('GPU 0 is held by task 7.')
    expect(sentence('en', 'problem', 'field.unknown', { field: 'nmae', nearest: 'name', variant: 'nearest' })).toBe('There is no field "nmae". Did you mean name?')
    expect(sentence('zh-CN', 'problem', 'tail.invalid', { field: 'tail', variant: 'flag' })).toBe('tail 应是 true 或 false。')
  })

  it('has no sentence for an unknown code, or without a value that it needs', () => {
    expect(sentence('en', 'reason', 'card.novel', {})).toBeNull()
    expect(sentence('en', 'reason', 'card.held', { gpu: '0' })).toBeNull()
    expect(templateOf('en', 'problem', 'tail.invalid')).toBeUndefined()
  })
})
