// 运行任务的机器。
export default {
  nodes: {
    title: '节点',
    about: '运行任务的机器：本机，或 Slurm 集群的节点。“用户”是在该节点上有作业的所有人。',
    summary: '{nodes} 个节点中 {usable} 个可用 · {gpus} 张 GPU 中 {used} 张在用',
    column: { node: '节点', state: '状态', gpus: '在用 GPU', types: '型号', tasks: '任务', users: '用户', reason: '原因' },
    state: {
      up: '正常',
      down: '无响应',
      drained: '已停用',
      draining: '停用中',
      fail: '故障',
      maint: '维护中',
      reserved: '已预留',
      power: '已关机',
      unknown: '未知',
      allocated: '已满',
      mixed: '使用中',
      completing: '作业结束中',
      idle: '空闲',
    },
    of: '{used} / {count}',
    used: '{count} 张 GPU 中 {used} 张在用',
    more: '+{count}',
    none: { title: '尚无节点', text: 'Slurm 首次应答后，节点会显示在这里。' },
    failed: '无法加载节点',
  },
}
