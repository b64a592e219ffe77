import { describe, expect, it } from 'vitest'

import { LogBuffer, MAX_LINE_LENGTH, MAX_CHARS, MAX_LINES } from '@/log/buffer'
import { Heights, LINE_PX } from '@/log/heights'
import { LogSearch } from '@/log/search'

const filled = (lines: string[], isPartial = false): LogBuffer => {
  const buffer = new LogBuffer()
  buffer.append(lines, isPartial)
  return buffer
}
const all = (buffer: LogBuffer): string[] => Array.from({ length: buffer.length }, (_, i) => buffer.plain(buffer.first + i))

describe('a log buffer', () => {
  it('replaces an unfinished line when it comes again', () => {
    const buffer = filled(['a', '10%'], true)
    buffer.append(['55%'], true)
    buffer.append(['100%', 'b'], false)
    buffer.append(['c'], false)
    expect(all(buffer)).toEqual(['a', '100%', 'b', 'c'])
  })

  it('forgets the oldest lines, and the others keep their numbers', () => {
    const buffer = filled(Array.from({ length: MAX_LINES }, (_, i) => `line ${i}`))
    buffer.append(['new 1', 'new 2'], false)
    expect(buffer.length).toBe(MAX_LINES)
    expect(buffer.first).toBe(2)
    expect(buffer.plain(2)).toBe('line 2')
    expect(buffer.plain(MAX_LINES + 1)).toBe('new 2')
    expect(buffer.plain(0)).toBe('')
  })

  it('is bounded in characters too', () => {
    const buffer = new LogBuffer()
    for (let i = 0; i < 600; i++) buffer.append(['x'.repeat(MAX_LINE_LENGTH)], false)
    expect(buffer.length * MAX_LINE_LENGTH).toBeLessThanOrEqual(MAX_CHARS)
  })

  it('cuts a line of a megabyte, and keeps the last picture of a progress bar', () => {
    const buffer = filled(['x'.repeat(1_000_000), `${'10%\r'.repeat(300_000)}100%`])
    expect(buffer.raw(0).length).toBeLessThan(MAX_LINE_LENGTH + 40)
    expect(buffer.raw(0)).toContain('[… +934464]')
    expect(buffer.plain(1)).toBe('100%')
    expect(buffer.line(0, 2_000).hidden).toBeGreaterThan(60_000)
  })

  it('carries a colour from line to line, through a line that is replaced', () => {
    const buffer = filled(['\u001b[31mred', 'still red \u001b[0m'], true)
    buffer.append(['still red', 'red'], false)
    expect(buffer.line(1, 100).runs[0]?.look.fg).toBe(1)
    expect(buffer.line(2, 100).runs[0]?.look.fg).toBe(1)
  })

  it('begins anew with higher numbers', () => {
    const buffer = filled(['a', 'b'])
    buffer.clear()
    buffer.append(['c'], false)
    expect([buffer.first, buffer.end, buffer.plain(2)]).toEqual([2, 3, 'c'])
  })
})

describe('a search', () => {
  it('finds lines whatever their case and colours, and looks only at new ones later', () => {
    const buffer = filled(['Epoch 1', 'x', 'ep\u001b[1moch\u001b[0m 2'])
    const search = new LogSearch('epoch')
    expect(search.matches(buffer)).toEqual([0, 2])
    buffer.append(['EPOCH 3'], false)
    expect(search.matches(buffer)).toEqual([0, 2, 3])
  })

  it('sees an unfinished line again when it has grown', () => {
    const buffer = filled(['a', 'ep'], true)
    const search = new LogSearch('epoch')
    expect(search.matches(buffer)).toEqual([])
    buffer.append(['epoch 1'], false)
    expect(search.matches(buffer)).toEqual([1])
  })

  it('of nothing finds nothing', () => {
    expect(new LogSearch('').matches(filled(['a']))).toEqual([])
  })
})

describe('heights', () => {
  it('are equal without wrapping', () => {
    const heights = new Heights()
    heights.update(filled(Array.from({ length: 1000 }, () => 'x')), false)
    expect(heights.total).toBe(1000 * LINE_PX)
    const { from, to, top } = heights.slice(10_000, 400)
    expect(from * LINE_PX).toBe(top)
    expect(from).toBeLessThan(500)
    expect(to).toBeGreaterThan(520)
    expect(to - from).toBeLessThan(100)
  })

  it('are what was measured, with wrapping', () => {
    const heights = new Heights()
    heights.update(filled(['a', 'b', 'c']), true)
    expect(heights.measure([[1, 60]])).toBe(true)
    expect(heights.measure([[1, 60]])).toBe(false)
    expect(heights.total).toBe(LINE_PX * 2 + 60)
    expect(heights.topOf(2)).toBe(LINE_PX + 60)
  })

  it('say by how much the lines moved up when old ones were forgotten', () => {
    const buffer = filled(Array.from({ length: MAX_LINES }, () => 'x'))
    const heights = new Heights()
    expect(heights.update(buffer, false)).toBe(0)
    buffer.append(['y', 'y', 'y'], false)
    expect(heights.update(buffer, false)).toBe(3 * LINE_PX)
  })
})
