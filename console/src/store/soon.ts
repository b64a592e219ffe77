/**
 * Does something a little later, once for all who ask meanwhile: a busy queue sends many events, and
 * waiting for the last of them would be waiting for ever. Nothing is asked for while nobody looks.
 */
export function soon(task: () => void, ms: number): () => void {
  let isDue = false
  const run = (): void => {
    isDue = false
    task()
  }
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => (document.hidden ? document.addEventListener('visibilitychange', run, { once: true }) : run()), ms)
  }
}
