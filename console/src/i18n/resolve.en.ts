export default {
  resolve: {
    lost: 'Out of contact',
    stuck: 'Cannot be stopped',
    aboutLost: 'Berth cannot find out whether this task still runs. It keeps its GPUs. Berth looks again by itself; you can decide now.',
    aboutStuck: 'Berth tried to end this task, and it does not go away. It keeps its GPUs. Berth goes on trying; you can decide now.',
    choice: { running: 'It still runs', ended: 'It has ended', requeue: 'Start it again' },
    risk: {
      running: 'Berth looks for its process and watches it again.',
      ended: 'The task counts as failed and its GPUs are free. If it runs after all, another task may get a GPU that it still uses.',
      requeue: 'The task joins the queue with a new attempt. If the old one runs after all, two copies write the same files.',
    },
    confirm: { running: 'Task {id} still runs?', ended: 'Task {id} has ended?', requeue: 'Start task {id} again?' },
    force: 'Also if its processes are still there (only for a task that cannot be stopped) or cannot be listed',
    yes: 'I have checked it',
    no: 'Back',
    done: 'Task {id} is resolved',
    refused: 'Not done: {why}',
  },
}
