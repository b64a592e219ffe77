import { describe, expect, it } from 'vitest'

import type { Problem } from '@/api/problems'
import { editable, EXAMPLES, lineCount, lineRange, problemsOf, toFile } from '@/form/commandFile'

const refusal = (more: Partial<Problem>): Problem => ({ detail: 'as the server says it', code: 'command.bad_block', field: 'content', params: {}, ...more })

describe('the text of a command file', () => {
  it('keeps the line ends of its file', () => {
    const before = '1\r\npython a.py\r\n20\r\n'
    const text = editable(before)
    expect(text).toBe('1\npython a.py\n20\n')
    expect(toFile(text, before)).toBe(before)
    expect(toFile(`${text}\n2\n`, before)).toBe(`${before}\r\n2\r\n`)
  })

  it('that nobody touched goes back byte for byte, however it was written', () => {
    for (const before of ['a\r\nb\nc\rd', '\ufeff1\n', '', '\r\n']) expect(toFile(editable(before), before)).toBe(before)
    expect(toFile('a\nb\nnew', 'a\r\nb\n')).toBe('a\nb\nnew')
    expect(toFile('new\nline', 'one line')).toBe('new\nline')
  })

  it('has lines that are counted and found as people do it', () => {
    expect([lineCount(''), lineCount('a'), lineCount('a\n'), lineCount('a\nb\n\n')]).toEqual([1, 1, 2, 4])
    const at = (line: number): string => 'one\n\nthree'.slice(...lineRange('one\n\nthree', line))
    expect([at(1), at(2), at(3), at(9)]).toEqual(['one', '', 'three', 'three'])
  })
})

describe('what is wrong with it', () => {
  it('is shown line by line, in the order of the lines', () => {
    const problems = [
      { line: 9, code: 'command.bad_queue', detail: '' },
      { line: 7, code: 'command.no_memory', detail: '' },
    ]
    expect(problemsOf(refusal({ problems })).map((one) => one.line)).toEqual([7, 9])
  })

  it('is the line that a refusal names where it lists none', () => {
    expect(problemsOf(refusal({ params: { line: '7' }, problems: [] }))).toEqual([{ line: 7, code: 'command.bad_block', detail: 'as the server says it' }])
    expect(problemsOf(refusal({}))).toEqual([])
    expect(problemsOf(refusal({ params: { line: 'x' } }))).toEqual([])
  })
})

describe('the examples', () => {
  it('hold a task of each form', () => {
    expect(EXAMPLES.plain.split('\n\n').length).toBe(2)
    expect(EXAMPLES.comma.split('\n').at(-1)).toBe('3,20')
    expect(EXAMPLES.multi.split('\n')).toHaveLength(4)
  })
})
