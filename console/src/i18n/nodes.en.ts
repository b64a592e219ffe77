// The machines that run tasks.
export default {
  nodes: {
    title: 'Nodes',
    about: 'The machines that run tasks: this one, or the nodes of the Slurm cluster. Users are all who have jobs there.',
    summary: '{usable} of {nodes} nodes take tasks · {used} of {gpus} GPUs in use',
    column: { node: 'Node', state: 'State', gpus: 'GPUs in use', types: 'Types', tasks: 'Tasks', users: 'Users', reason: 'Reason' },
    state: {
      up: 'Up',
      down: 'Does not answer',
      drained: 'Drained',
      draining: 'Draining',
      fail: 'Failed',
      maint: 'Maintenance',
      reserved: 'Reserved',
      power: 'Powered off',
      unknown: 'Unknown',
      allocated: 'Full',
      mixed: 'In use',
      completing: 'Jobs end',
      idle: 'Idle',
    },
    of: '{used} / {count}',
    used: '{used} of {count} GPUs in use',
    more: '+{count}',
    none: { title: 'No node is known yet', text: 'The nodes appear when Slurm has answered for the first time.' },
    failed: 'The nodes could not be loaded',
  },
}
