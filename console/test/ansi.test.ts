import { describe, expect, it } from 'vitest'

import { show, type Run } from '@/log/ansi'
import { visible } from '@/log/invisible'
import { pieces } from '@/log/pieces'
import { BOLD, PLAIN, UNDERLINE } from '@/log/sgr'

const MOST = 10_000
const runs = (line: string): Run[] => show(line, PLAIN, MOST).runs
const text = (line: string): string =>
  runs(line)
    .map((run) => run.text)
    .join('')

describe('colours', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', { fg: 1 }],
    ['\u001b[91mbright red', { fg: 9 }],
    ['\u001b[38;5;9mindexed, of the theme', { fg: 9 }],
    ['\u001b[38;5;196mindexed, of the cube', { fg: '#ff0000' }],
    ['\u001b[38;5;244mindexed, grey', { fg: '#808080' }],
    ['\u001b[38;2;1;2;255mtrue', { fg: '#0102ff' }],
    ['\u001b[38:2:1:2:255mtrue with colons', { fg: '#0102ff' }],
    ['\u001b[48;5;4mground', { bg: 4 }],
    ['\u001b[1;4mbold and underlined', { flags: BOLD | UNDERLINE }],
    ['\u009b32mone-byte introducer', { fg: 2 }],
  ])('%j is read', (line, look) => {
    expect(runs(line)[0]?.look).toMatchObject(look)
  })

  it('ends with a reset, and one is carried into the next line otherwise', () => {
    expect(runs('\u001b[31mred\u001b[mplain').map((run) => run.look.fg)).toEqual([1, null])
    expect(show('\u001b[31mred', PLAIN, MOST).end.fg).toBe(1)
  })

  it('that do not exist change nothing', () => {
    expect(runs('\u001b[38;5;999mx')[0]?.look).toEqual(PLAIN)
    expect(runs('\u001b[38;2;1;2mx')[0]?.look).toEqual(PLAIN)
    expect(text('\u001b[38;2;300;1;1mx')).toBe('x')
  })
})

describe('a terminal', () => {
  it('overwrites a line after a carriage return, as progress bars do', () => {
    expect(text('10%\r20%\r100% done')).toBe('100% done')
    expect(text('abcdef\rXY')).toBe('XYcdef')
    expect(text('abcdef\r\u001b[KXY')).toBe('XY')
    expect(text('ab\bc')).toBe('ac')
  })

  it('drops what moves the cursor, sets titles or fills the clipboard', () => {
    expect(text('a\u001b[2J\u001b[10;5Hb')).toBe('ab')
    expect(text('a\u001b]0;title\u0007b')).toBe('ab')
    expect(text('a\u001b]52;c;aGVsbG8=\u001b\\b')).toBe('ab')
    expect(text('a\u001bP1$qm\u001b\\b')).toBe('ab')
    expect(text('\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007')).toBe('link')
  })

  it('shows the rest of a line whose sequence never ends', () => {
    expect(text('a\u001b]52;c;no end')).toBe('a52;c;no end')
    expect(text(`a\u001b[${'1;'.repeat(2000)}b`)).toContain('b')
    expect(text('a\u001b')).toBe('a')
    expect(text('a\u001b[')).toBe('a')
  })

  it('marks what cannot be seen', () => {
    expect(text('\u202egnp.exe')).toBe('‹U+202E›gnp.exe')
    expect(runs('\u202ex')[0]?.isMark).toBe(true)
    expect(text('a\u0000b')).toBe('a␀b')
    expect(visible('a\u2066b\u200bc')).toBe('a‹U+2066›b‹U+200B›c')
  })

  it('leaves markup what it is: text', () => {
    expect(text('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
  })

  it('keeps characters beyond the basic plane whole', () => {
    expect(text('\u001b[1m🚢 泊位')).toBe('🚢 泊位')
    expect(show('🚢🚢', PLAIN, 3).runs[0]?.text).toBe('🚢')
  })
})

describe('a hostile line of a megabyte', () => {
  const LONG = 1_000_000
  it.each([
    ['plain', 'x'.repeat(LONG)],
    ['of colours', '\u001b[31mx'.repeat(LONG / 6)],
    ['of escapes', '\u001b'.repeat(LONG)],
    ['of introducers', '\u001b['.repeat(LONG / 2)],
    ['of unended titles', '\u001b]'.repeat(LONG / 2)],
    ['of carriage returns', 'ab\r'.repeat(LONG / 3)],
    ['of parameters', `\u001b[${'1;'.repeat(LONG / 2)}m`],
    ['of directions', '\u202e'.repeat(LONG)],
  ])('%s is shown within bounds of time and size', (_name, line) => {
    const began = performance.now()
    const shown = show(line.slice(0, 65_536), PLAIN, 2_000)
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(shown.runs.length).toBeLessThanOrEqual(2_000)
    expect(pieces(shown.runs, 'x').length).toBeLessThanOrEqual(4_000)
  })
})

describe('pieces', () => {
  const found = (line: string, searched: string): [string, boolean][] => pieces(runs(line), searched).map((piece) => [piece.text, piece.isHit])

  it('are cut where a searched text begins and ends, also across colours', () => {
    expect(found('one two one', 'ONE')).toEqual([
      ['one', true],
      [' two ', false],
      ['one', true],
    ])
    expect(found('lo\u001b[31mss=1', 'loss')).toEqual([
      ['lo', true],
      ['ss', true],
      ['=1', false],
    ])
  })

  it('carry a class for the colours of the theme and a style for all others', () => {
    expect(pieces(runs('\u001b[31;48;2;1;2;3mx'), '')[0]).toMatchObject({ classes: ['fg-1'], style: { backgroundColor: '#010203' } })
    expect(pieces(runs('\u001b[7mx'), '')[0]?.classes).toEqual(['inverse'])
    expect(pieces(runs('\u001b[7;31mx'), '')[0]?.classes).toEqual(['bg-1'])
  })
})
