import { parse } from 'vue/compiler-sfc'

export interface Source {
  path: string
  text: string
}

interface Messages {
  [key: string]: string | Messages
}

/** Every message by its full key. */
export function keysOf(messages: Messages, prefix = ''): Map<string, string> {
  const keys = new Map<string, string>()
  for (const [name, value] of Object.entries(messages)) {
    if (typeof value === 'string') keys.set(prefix + name, value)
    else for (const [key, text] of keysOf(value, `${prefix}${name}.`)) keys.set(key, text)
  }
  return keys
}

// A key stands alone in quotes wherever it is chosen: t('a.b'), { key: 'a.b' }, isX ? 'a.b' : 'a.c'.
const WHOLE_KEY = /'([a-z]\w*(?:\.\w+)+)'/g
const KEY_PREFIX = /`([a-z]\w*(?:\.\w+)*\.)\$\{/g
const CALL = /\bt\(\s*'([^']+)'/g

/** The keys that sources name, and the beginnings of those they put together. */
export function usedKeys(sources: Source[]): { exact: Set<string>; prefixes: string[] } {
  const exact = new Set<string>()
  const prefixes = new Set<string>()
  for (const { text } of sources) {
    for (const [, key] of text.matchAll(CALL)) exact.add(key!)
    for (const [, key] of text.matchAll(WHOLE_KEY)) if (!NO_KEYS.test(key!)) exact.add(key!)
    for (const [, prefix] of text.matchAll(KEY_PREFIX)) prefixes.add(prefix!)
  }
  return { exact, prefixes: [...prefixes] }
}

// Words with a dot that are no messages: what the browser keeps, and codes.
const NO_KEYS = /^(berth|client|card|paused|start)\.|^(command\.too_large|task\.unknown)$/

const CJK = /[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]/
const WORD = /[A-Za-z]{2,}/
const SENTENCE = /^[A-Z][a-z]+(?: [a-z]+)+|^[a-z]+(?: [a-z]+){3,}/
const SPOKEN = new Set(['title', 'placeholder', 'aria-label', 'alt', 'label', 'text', 'hint', 'aria-description', 'aria-valuetext'])
/** Commands to type are the same in every language. */
const COMMANDS = new Set(['berth login'])

interface Node {
  type: number
  content?: unknown
  children?: Node[]
  branches?: Node[]
  props?: { type: number; name: string; value?: { content: string }; exp?: { content: string } }[]
}

/** Text for people that stands in the code itself. */
export function hardCoded(source: Source): string[] {
  if (!source.path.endsWith('.vue')) return inScript(source.text)
  const { descriptor } = parse(source.text)
  const found = inScript(descriptor.scriptSetup?.content ?? '')
  const root = descriptor.template?.ast as unknown as Node | undefined
  if (root !== undefined) walk(root, found)
  return found
}

const TEXT = 2
const INTERPOLATION = 5
const ATTRIBUTE = 6

function walk(node: Node, found: string[]): void {
  if (node.type === TEXT && isWords(String(node.content))) found.push(String(node.content).trim())
  if (node.type === INTERPOLATION) found.push(...inExpression((node.content as { content: string }).content))
  for (const prop of node.props ?? []) {
    if (prop.type === ATTRIBUTE) {
      if (SPOKEN.has(prop.name) && prop.value && isWords(prop.value.content) && !COMMANDS.has(prop.value.content)) found.push(`${prop.name}="${prop.value.content}"`)
    } else if (prop.exp) {
      found.push(...inScript(prop.exp.content))
    }
  }
  for (const child of [...(node.children ?? []), ...(node.branches ?? [])]) if (typeof child === 'object') walk(child, found)
}

const isWords = (text: string): boolean => CJK.test(text) || WORD.test(text)

function literals(script: string): string[] {
  const bare = script.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
  return [...bare.matchAll(/'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g)].map((match) => match[1] ?? match[2] ?? '')
}

function inScript(script: string): string[] {
  return literals(script).filter((text) => CJK.test(text) || SENTENCE.test(text))
}

/** What an interpolation shows is a message, data or a sign. */
function inExpression(expression: string): string[] {
  return literals(expression).filter((text) => CJK.test(text) || (WORD.test(text) && !/^[a-z]\w*(\.\w*)*(\.\$\{.*\})?$/.test(text)))
}
