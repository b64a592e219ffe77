package dev.berth.engine.port;

import dev.berth.core.task.TaskId;

import java.time.Instant;

/**
 * What a submit key was used for.
 *
 * @param bodyHash of the request it came with: the same key with another body is a mistake
 */
public record KeyUse(TaskId task, String bodyHash, Instant at) {}
