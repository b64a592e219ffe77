import { defineStore } from 'pinia'
import { ref } from 'vue'

/** The form for a new task. Its page is created again when the number changes. */
export const useNewTaskStore = defineStore('newTask', () => {
  const formNumber = ref(0)

  /** The next form is empty, even if one is open already. */
  const reset = (): void => void formNumber.value++

  return { formNumber, reset }
})
