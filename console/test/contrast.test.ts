import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const css = readFileSync(join(__dirname, '../src/styles/tokens.css'), 'utf8')

function tokens(selector: string): Map<string, string> {
  const block = css.slice(css.indexOf(`${selector} {`)).split('}')[0]!
  return new Map([...block.matchAll(/--([\w-]+): ([^;]+);/g)].map((match) => [match[1]!, match[2]!]))
}

const light = tokens(':root')
const dark = new Map([...light, ...tokens(":root[data-theme='dark']")])
const terminal = tokens('.terminal')

type Rgb = [number, number, number]
const rgb = (hex: string): Rgb => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as Rgb
const mixed = (over: string, under: string, share: number): Rgb => rgb(under).map((part, i) => part * (1 - share) + rgb(over)[i]! * share) as Rgb

function luminance(colour: Rgb): number {
  const [r, g, b] = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)) as Rgb
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

describe.each([
  ['light', light],
  ['dark', dark],
])('in %s', (_name, theme) => {
  const of = (name: string): string => theme.get(name)!
  const share = parseFloat(of('tint')) / 100

  it.each(['text', 'text-2', 'text-3', 'accent', 'bad'])('%s can be read on every ground', (name) => {
    for (const ground of ['ground', 'surface', 'raised']) expect(contrast(rgb(of(name)), rgb(of(ground))), ground).toBeGreaterThanOrEqual(4.5)
  })

  it.each(['good', 'work', 'warn', 'bad', 'still', 'accent'])('a pill of tone %s can be read', (tone) => {
    expect(contrast(rgb(of(tone)), mixed(of(tone), of('surface'), share))).toBeGreaterThanOrEqual(4.5)
  })

  it('buttons, holders and the chosen view can be read', () => {
    expect(contrast(rgb(of('on-accent')), rgb(of('accent')))).toBeGreaterThanOrEqual(4.5)
    expect(contrast(rgb(of('accent')), rgb(of('accent-soft')))).toBeGreaterThanOrEqual(4.5)
    expect(contrast(rgb(of('text-2')), rgb(of('sunken')))).toBeGreaterThanOrEqual(4.5)
  })

  it('borders of fields and the focus can be seen', () => {
    expect(contrast(rgb(of('focus')), rgb(of('surface')))).toBeGreaterThanOrEqual(3)
  })
})

describe('in a log', () => {
  it('every colour but black can be read', () => {
    const ground = rgb(terminal.get('log-ground')!)
    for (let i = 1; i < 16; i++) expect(contrast(rgb(terminal.get(`c${i}`)!), ground), `colour ${i}`).toBeGreaterThanOrEqual(4.5)
    expect(contrast(rgb(terminal.get('log-faint')!), rgb(terminal.get('log-raised')!))).toBeGreaterThanOrEqual(4.5)
  })
})
