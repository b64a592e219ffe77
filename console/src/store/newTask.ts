import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'

/** The form for a new task. Its page is created again when the number changes. */
export const useNewTaskStore = defineStore('newTask', () => {
  const formNumber = ref(0)
  /** Asks whether the text of the open form may be lost; null if no form is open. */
  const confirm = shallowRef<(() => Promise<boolean>) | null>(null)

  /** The next form is empty, even if one is open already. */
  async function reset(): Promise<void> {
    if (confirm.value === null || (await confirm.value())) formNumber.value++
  }

  return { formNumber, confirm, reset }
})
