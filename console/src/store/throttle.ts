/**
 * Returns a function that runs the task after a pause, once for all calls in that pause. A debounce
 * would not do: it restarts the pause with each call, and a busy queue sends events without end. While
 * the page is hidden, the task waits until it is visible again.
 */
export function throttle(task: () => void, pauseMs: number): () => void {
  let isDue = false
  const run = (): void => {
    isDue = false
    task()
  }
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => (document.hidden ? document.addEventListener('visibilitychange', run, { once: true }) : run()), pauseMs)
  }
}
