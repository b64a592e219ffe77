package dev.berth.core.task;

/** The kernel reuses pids; boot, pid and start tick together identify one process. */
public record ProcessKey(String bootId, long pid, long startTick) {}
